/** Promise: a log that is not read holds a bounded number of lines, and reports how many it dropped. */
import { expect, test } from "bun:test";
import { openLogQueue } from "../../src/log/log-queue.ts";

/** A reader that takes a line when the test says. */
function slowReader(charactersMax: number) {
  const unread: { text: string; written: () => void }[] = [];
  const read: string[] = [];
  const queue = openLogQueue((text, written) => unread.push({ text, written }), {
    charactersMax,
    reportOf: (dropped) => `dropped ${dropped}`,
  });
  const take = () => {
    const next = unread.shift();
    if (!next) return false;
    read.push(next.text);
    next.written();
    return true;
  };
  return { queue, read, unread, take };
}

test("lines beyond the limit are dropped, and one line reports them once half of the room is free", () => {
  const { queue, read, unread, take } = slowReader(40);
  for (let line = 0; line < 10; line++) queue.write(`line ${line}...`);
  expect(unread.length).toBe(4);
  expect(queue.dropped()).toBe(6);
  take();
  expect(unread.map(({ text }) => text)).toEqual(["line 1...", "line 2...", "line 3..."]);
  while (take());
  expect(read).toEqual(["line 0...", "line 1...", "line 2...", "line 3...", "dropped 6"]);
  queue.write("next");
  take();
  expect(read.at(-1)).toBe("next");
  expect(queue.dropped()).toBe(6);
});

test("waiting lines are flushed, unless they are not read in time", async () => {
  const { queue, take } = slowReader(40);
  expect(await queue.flushed(0)).toBe(true);
  queue.write("line");
  expect(await queue.flushed(1)).toBe(false);
  const flushed = queue.flushed(60_000);
  take();
  expect(await flushed).toBe(true);
});
