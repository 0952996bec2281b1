/** Promise: durations are written in the format that stock clients parse. */
import { expect, test } from "bun:test";
import { goDuration } from "../../src/limits/duration-text.ts";

test.each([
  [0, "0s"],
  [-5, "0s"],
  [0.2, "1ms"],
  [20, "20ms"],
  [999, "999ms"],
  [1000, "1s"],
  [1500, "1.5s"],
  [59_999, "59.999s"],
  [60_000, "1m0s"],
  [61_500, "1m1.5s"],
  [360_000, "6m0s"],
  [3_600_000, "1h0m0s"],
])("%d ms is written as %s", (ms, written) => {
  expect(goDuration(ms)).toBe(written);
  expect(written).toMatch(/^(\d+h)?(\d+m)?(\d+(\.\d+)?(ms|s))$/);
});
