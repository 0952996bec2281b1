/** Promise: a download shows its share, speed and remaining time: on one line of a terminal, on few lines of a log. */
import { expect, test } from "bun:test";
import { openProgressBar } from "../../src/cli/base/progress-bar.ts";

const TOTAL = 100e6;

/** What is written while 10 MB arrive each second for `seconds`, reported ten times a second. */
function written(isTTY: boolean, seconds: number): string {
  let [text, now] = ["", 0];
  const write = (more: string) => {
    text += more;
  };
  const output = { isTTY, write };
  {
    using bar = openProgressBar(output, () => now);
    for (let tenth = 0; tenth <= seconds * 10; tenth++) {
      now = tenth * 100;
      bar.update({ bytes: tenth * 1e6, total: TOTAL });
    }
    bar.note("trying another source");
  }
  return text;
}

test("on a terminal one line is rewritten", () => {
  const lines = written(true, 5).split("\r");
  expect(lines).toContain("  ██████████░░░░░░░░░░░░░░ 40 % of 100 MB, 10 MB/s, 0:06 left\x1b[K");
  expect(lines).toContain("  trying another source\x1b[K\n");
});

test("elsewhere a line is written every five seconds, without carriage returns", () => {
  expect(written(false, 10)).toBe(
    [
      "  50 % of 100 MB, 10 MB/s, 0:05 left",
      "  100 % of 100 MB",
      "  trying another source",
      "  100 % of 100 MB",
      "",
    ].join("\n"),
  );
});

test("a part that is discarded makes no negative speed", () => {
  let [text, now] = ["", 0];
  const write = (more: string) => {
    text += more;
  };
  {
    using bar = openProgressBar({ isTTY: false, write }, () => now);
    for (const [at, bytes] of [
      [0, 0],
      [2000, 50e6],
      [2100, 10e6],
      [4100, 30e6],
    ] as const) {
      now = at;
      bar.update({ bytes, total: TOTAL });
    }
  }
  expect(text).toBe("  30 % of 100 MB, 10 MB/s, 0:07 left\n");
});
