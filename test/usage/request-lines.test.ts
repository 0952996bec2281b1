/** Promise: LOG_REQUESTS decides which requests have a line in the log. */
import { expect, test } from "bun:test";
import { hasLine } from "../../src/usage/request-log.ts";

const quick = { status: 200, method: "POST", firstByteMs: 40, durationMs: 90_000 };

test.each([
  ["a quick request", quick, [true, false, false]],
  ["one that began late", { ...quick, firstByteMs: 2001 }, [true, true, false]],
  ["one that sent nothing for long", { ...quick, firstByteMs: null }, [true, true, false]],
  [
    "a live session, which begins with silence",
    { ...quick, method: "WS", firstByteMs: 9000 },
    [true, false, false],
  ],
  ["a refused request", { ...quick, status: 429 }, [true, true, true]],
  ["a failed request", { ...quick, status: 503 }, [true, true, true]],
])("%s", (_name, row, lines) => {
  expect((["all", "slow", "errors"] as const).map((which) => hasLine(which, row))).toEqual(lines);
});
