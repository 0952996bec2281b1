/** Promise: events come in order, and neither their number nor their size delays other work or fills memory. */
import { expect, test } from "bun:test";
import { openEventLoopShare } from "../../src/memory/event-loop-share.ts";
import { EventQueue } from "../../src/wyoming/event-queue.ts";
import { encodeEvent } from "../../src/wyoming/framing.ts";

function openQueue() {
  const calls: string[] = [];
  const reader = {
    pause: () => void calls.push("pause"),
    resume: () => void calls.push("resume"),
  };
  return { calls, queue: new EventQueue(reader as never, openEventLoopShare()) };
}

const pings = (count: number) => Buffer.from('{"type":"ping"}\n'.repeat(count));

test("thousands of events in one read leave the event loop to other work", async () => {
  const { queue } = openQueue();
  queue.push(pings(50_000));
  let others = 0;
  const timer = setInterval(() => others++, 1);
  for (let taken = 0; taken < 50_000; taken++) expect(await queue.next(1000)).toMatchObject({ type: "ping" });
  clearInterval(timer);
  expect(others).toBeGreaterThan(2);
});

test("an event may arrive in any parts, and reading pauses while a mebibyte waits", async () => {
  const { queue, calls } = openQueue();
  const payload = new Uint8Array(700_000).fill(7);
  const event = encodeEvent({ type: "audio-chunk", data: { rate: 16_000 }, payload });
  for (const bytes of [event.subarray(0, 10), event.subarray(10, 500_000), event.subarray(500_000), event])
    queue.push(bytes);
  expect(calls).toEqual(["pause"]);
  expect(queue.isInside).toBe(true);
  expect(await queue.next(1000)).toEqual({ type: "audio-chunk", data: { rate: 16_000 }, payload });
  expect(await queue.next(1000)).toMatchObject({ type: "audio-chunk" });
  expect(await queue.next(5)).toBe("late");
  expect(calls).toEqual(["pause", "resume"]);
  expect(queue.isInside).toBe(false);
});

test("a part of an event does not extend the time for it", async () => {
  const { queue } = openQueue();
  const sending = setInterval(() => queue.push(Buffer.from("x")), 1);
  expect(await queue.next(20)).toBe("late");
  clearInterval(sending);
  expect(queue.isInside).toBe(true);
});

test("what is no event is thrown after the events before it, and a closed queue is empty", async () => {
  const { queue } = openQueue();
  queue.push(Buffer.from('{"type":"ping"}\nGET / HTTP/1.1\r\n'));
  expect(await queue.next(1000)).toMatchObject({ type: "ping" });
  expect(queue.next(1000)).rejects.toThrow("header of an event");
  const other = openQueue().queue;
  other.push(pings(3));
  other.close();
  expect(await other.next(1000)).toBeNull();
});
