/** Whether a shared store lends points as the arithmetic of a bucket does, for several nodes. */
import { expect } from "bun:test";
import fc from "fast-check";
import { type Bucket, take } from "../../src/limits/bucket.ts";
import type { LimitStore } from "../../src/limits/limits.ts";

const START = Date.UTC(2026, 0, 2);
const points = fc.double({ min: 0, max: 80, noNaN: true });
const step = fc.record({
  waitMs: fc.oneof(fc.nat(500), fc.nat(20_000), fc.integer({ min: -3000, max: 0 })),
  cost: points,
  exchange: fc.option(
    fc.record({ holder: fc.constantFrom("a", "b", "c"), returned: points, requested: fc.nat(80) }),
  ),
});

export async function expectSameLoans(prepare: () => Promise<LimitStore>, runs: number): Promise<void> {
  await using store = await prepare();
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 20, max: 300 }),
      fc.array(step, { maxLength: 30, size: "max" }),
      async (perMinute, steps) => {
        const organizationId = `org${Math.random()}`;
        let [now, model]: [number, Bucket | null] = [START, null];
        for (const { waitMs, cost, exchange } of steps) {
          now += waitMs;
          const expected = take(model, perMinute, { cost, now, exchange: exchange ?? undefined });
          model = expected.bucket;
          const asked = { bucket: "characters", cost, perMinute, ...(exchange && { exchange }) } as const;
          const { refused, levels } = await store.decide({ organizationId, now, take: [asked], slot: null });
          expect(refused === null).toBe(expected.admitted);
          expect(levels[0]!.points).toBeCloseTo(expected.bucket.points, 6);
          expect(levels[0]!.retryMs).toBeCloseTo(expected.retryMs, -1);
          if (exchange) expect(levels[0]!.lent).toBeCloseTo(expected.lent, 6);
          else expect(levels[0]!.lent).toBeUndefined();
        }
      },
    ),
    { numRuns: runs },
  );
}
