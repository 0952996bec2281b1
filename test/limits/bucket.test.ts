/** Promise: points that are lent never make more of a limit, whatever becomes of their holders. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { type Bucket, LOAN_MS, type Taken, take } from "../../src/limits/bucket.ts";

type Held = { points: number; until: number };

const step = fc.record({
  waitMs: fc.oneof(fc.nat(300), fc.nat(2000), fc.nat(LOAN_MS)),
  holder: fc.constantFrom("a", "b", "c"),
  does: fc.constantFrom("borrows", "borrows", "uses", "stops"),
  part: fc.double({ min: 0, max: 1, noNaN: true }),
});

test("what is left and lent is never more than a bucket has that lends nothing", () =>
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 600 }),
      fc.array(step, { maxLength: 60, size: "max" }),
      (perMinute, steps) => {
        let now = 0;
        let bucket: Bucket | null = null;
        let model: Bucket | null = null;
        const held = new Map<string, Held>();
        const heldAt = (holder: string) => {
          const { points, until } = held.get(holder) ?? { points: 0, until: 0 };
          return now < until ? points : 0;
        };
        for (const { waitMs, holder, does, part } of steps) {
          now += waitMs;
          const left = heldAt(holder);
          let used = 0;
          if (does === "borrows") {
            const cost = part * perMinute * 0.1;
            const returned = held.get(holder)?.points ?? 0; // it may be too late for that
            const exchange = { holder, returned, requested: part * perMinute };
            const taken: Taken = take(bucket, perMinute, { cost, now, exchange });
            bucket = taken.bucket;
            if (taken.admitted) used = cost;
            held.set(holder, { points: taken.lent, until: now + LOAN_MS });
          } else if (does === "uses" && left > 0) {
            used = left * part; // the bucket is not told
            held.get(holder)!.points = left - used;
          } else if (does === "stops") held.delete(holder);
          const after: Taken = take(model, perMinute, { cost: used, now });
          expect(after.admitted).toBe(true);
          model = after.bucket;
          const unused = take(bucket, perMinute, { cost: 0, now }).bucket.points;
          const all = [...held.keys()].reduce((sum, each) => sum + heldAt(each), unused);
          expect(all).toBeLessThanOrEqual(model.points + 0.001);
        }
      },
    ),
    { numRuns: 3000 },
  ));

test("points of a loan that are used late are refilled from then on", () => {
  const lent = take(null, 60, { cost: 0, now: 0, exchange: { holder: "a", returned: 0, requested: 30 } });
  expect(lent.lent).toBe(30);
  const usedAt = LOAN_MS - 1;
  const model = take(null, 60, { cost: 30, now: usedAt }).bucket;
  const levelAt = (bucket: Bucket, now: number) => take(bucket, 60, { cost: 0, now }).bucket.points;
  expect(levelAt(lent.bucket, usedAt)).toBe(30);
  expect(levelAt(lent.bucket, 2 * LOAN_MS)).toBeCloseTo(levelAt(model, 2 * LOAN_MS), 1);
  expect(levelAt(lent.bucket, 2 * LOAN_MS)).toBeLessThanOrEqual(levelAt(model, 2 * LOAN_MS));
});
