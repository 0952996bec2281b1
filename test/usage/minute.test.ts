/** Promise: minutes of several nodes add up, and their percentiles are those of all requests together. */
import { expect, test } from "bun:test";
import { figuresOf, isQuiet, type Minute, thinned } from "../../src/usage/minute.ts";

const QUIET: Minute = { start: 60, succeeded: 0, refused: 0, failed: 0, sessions: 0, waited: 0, waits: [] };
const served = (waits: number[], start = 60): Minute => ({
  ...{ ...QUIET, start, succeeded: waits.length, sessions: 2, waited: waits.length },
  waits: waits.toSorted((one, other) => one - other),
});
const upTo = (count: number, from = 1) => Array.from({ length: count }, (_none, at) => from + at);

test("counts and sessions of one minute are summed, and other minutes are left alone", () => {
  const others = [served([30, 40]), served([5], 120), { ...QUIET, refused: 3, failed: 1 }];
  expect(figuresOf([served([10, 20]), { ...QUIET, start: 120 }], others)).toEqual([
    { start: 60, succeeded: 4, refused: 3, failed: 1, sessions: 4, p50Ms: 20, p95Ms: 40 },
    { start: 120, succeeded: 1, refused: 0, failed: 0, sessions: 2, p50Ms: 5, p95Ms: 5 },
  ]);
  expect(figuresOf([QUIET])).toMatchObject([{ p50Ms: null, p95Ms: null }]);
});

test("twenty waits stand for all of a busy node, so that a calm one does not outweigh it", () => {
  const busy = thinned(served(upTo(600)));
  expect(busy.waits).toHaveLength(20);
  expect(busy).toMatchObject({ waited: 600, succeeded: 600 });
  expect(figuresOf([busy])).toMatchObject([{ p50Ms: 300, p95Ms: 570 }]);
  expect(figuresOf([served([5000, 5000])], [busy])).toMatchObject([{ p50Ms: 330, p95Ms: 600 }]);
  expect(thinned(served([1, 2])).waits).toEqual([1, 2]);
});

test("a minute is quiet where nothing was served and no client was connected", () => {
  expect(isQuiet(QUIET)).toBe(true);
  expect(isQuiet({ ...QUIET, sessions: 1 })).toBe(false);
  expect(isQuiet({ ...QUIET, refused: 1 })).toBe(false);
});
