/** Promise: no bar is longer than its axis, the newest bucket is always labelled, and labels do not touch. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { amount, cents } from "../../src/web/format/dollars.ts";
import { labelled, valueTicks } from "../../src/web/ui/chart/axis.ts";

const ROUND = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000];

describe("axes", () => {
  test.each([
    [141, [0, 50, 100, 150]],
    [100, [0, 20, 40, 60, 80, 100]],
    [1, [0, 1]],
    [0, [0]],
  ])("the axis of values up to %d has the ticks %p", (max, ticks) => {
    expect(valueTicks({ max }, ROUND)).toEqual(ticks);
  });

  test.each([
    [-30, 0, [-30, -20, -10, 0]],
    [-30, 141, [-50, 0, 50, 100, 150]],
    [-1, 1000, [-500, 0, 500, 1000]],
    [-500, 20, [-600, -400, -200, 0, 200]],
  ])("the axis of values from %d to %d has the ticks %p", (min, max, ticks) => {
    expect(valueTicks({ min, max }, ROUND)).toEqual(ticks);
  });

  test("the ticks reach from the lowest value to the highest, with 0, and there are few", () => {
    fc.assert(
      fc.property(fc.integer({ min: -20_000, max: 20_000 }), fc.integer({ min: 0, max: 20_000 }), (a, b) => {
        const { min, max } = { min: Math.min(a, b), max: Math.max(a, b) };
        const ticks = valueTicks({ min, max }, ROUND);
        expect(ticks.at(-1)).toBeGreaterThanOrEqual(max);
        expect(ticks[0]).toBeLessThanOrEqual(min);
        expect(ticks).toContain(0);
        expect(ticks.length).toBeLessThanOrEqual(6);
      }),
    );
  });

  test("the last bucket is labelled, and labels have room", () => {
    const sizes = fc.record({
      buckets: fc.integer({ min: 1, max: 400 }),
      width: fc.integer({ min: 200, max: 2000 }),
    });
    fc.assert(
      fc.property(sizes, ({ buckets, width }) => {
        const indexes = labelled({ buckets, width, room: 64 });
        expect(indexes.at(-1)).toBe(buckets - 1);
        for (const [at, index] of indexes.slice(1).entries())
          expect(((index - indexes[at]!) * width) / buckets).toBeGreaterThanOrEqual(63.99);
      }),
    );
  });
});

describe("money", () => {
  test.each([
    [0, "$0.00", "$0.00"],
    [40, "< $0.01", "< $0.0001"],
    [268_295, "$0.26", "$0.2683"],
    [33_918_510, "$33.91", "$33.9185"],
    [50_000_000, "$50.00", "$50.00"],
    [1_234_567_890_000, "$1,234,567.89", "$1,234,567.89"],
  ])("%d micros are %s in a headline and %s in a row", (micros, headline, row) => {
    expect([cents(micros), amount(micros)]).toEqual([headline, row]);
  });
});
