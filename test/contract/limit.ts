/** What every limit store must do: never admit more than capacity and rate allow, never leak a slot. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Clock } from "../../src/clock.ts";
import { type Answer, LEASE_MS, type LimitStore } from "../../src/limits/limits.ts";
import { limitCapsContract } from "./limit-caps.ts";

const START = Date.UTC(2026, 0, 2);

/** `prepare` opens a store that has counted nothing. */
export function limitContract(name: string, prepare: (clock: Clock) => Promise<LimitStore>, runs: number) {
  limitCapsContract(name, prepare);
  describe(name, () => {
    let store: LimitStore;
    let now: number;
    beforeEach(async () => {
      now = START;
      store = await prepare({ now: () => now });
    });
    afterEach(() => store[Symbol.asyncDispose]());

    /** One bucket's answer, flat. */
    const flat = ({ refused, levels: [level] }: Answer) => ({ refused, ...level });
    const take = async (cost: number, perMinute = 60, organizationId = "org") =>
      flat(
        await store.decide({
          organizationId,
          now,
          take: [{ bucket: "requests", cost, perMinute }],
          slot: null,
        }),
      );
    const hold = (id: string, max = 2, on = store) =>
      on.decide({ organizationId: "org", now, take: [], slot: { id, max } });

    test("a bucket starts full, empties, and returns when to retry", async () => {
      expect(await take(59)).toEqual({ refused: null, points: 1, retryMs: 0, resetMs: 59_000 });
      expect(await take(1)).toMatchObject({ refused: null, points: 0 });
      expect(await take(1)).toEqual({ refused: "requests", points: 0, retryMs: 1000, resetMs: 60_000 });
      now += 1000;
      expect(await take(1)).toMatchObject({ refused: null, points: 0 });
    });

    test("a refusal consumes nothing", async () => {
      await take(50);
      expect(await take(20)).toMatchObject({ refused: "requests", points: 10, retryMs: 10_000 });
      expect(await take(10)).toMatchObject({ refused: null, points: 0 });
    });

    test("a bucket never holds more than its capacity", async () => {
      await take(60);
      now += 3_600_000;
      expect(await take(0)).toMatchObject({ points: 60, resetMs: 0 });
    });

    test("a cost below zero gives points back, to the capacity at most", async () => {
      await take(10);
      expect(await take(-4)).toMatchObject({ refused: null, points: 54 });
      await take(-20);
      now += 1;
      expect(await take(0)).toMatchObject({ points: 60, resetMs: 0 });
    });

    test("a cost above the capacity is never admitted", async () => {
      expect(await take(61)).toMatchObject({ refused: "requests" });
    });

    test("fractions count: 0.4 s of audio are not free", async () => {
      for (let i = 0; i < 150; i++) expect(await take(0.4)).toMatchObject({ refused: null });
      expect(await take(0.4)).toMatchObject({ refused: "requests" });
    });

    test("each bucket of each organization has its own points", async () => {
      await take(60);
      expect(await take(60, 60, "other")).toMatchObject({ refused: null });
      const seconds = { bucket: "seconds", cost: 60, perMinute: 60 } as const;
      const answer = await store.decide({ organizationId: "org", now, take: [seconds], slot: null });
      expect(answer.refused).toBeNull();
    });

    test("a request consumes from all of its buckets or from none, and reports each", async () => {
      const ask = (requests: number, seconds: number) =>
        store.decide({
          organizationId: "org",
          now,
          take: [
            { bucket: "requests", cost: requests, perMinute: 60 },
            { bucket: "seconds", cost: seconds, perMinute: 30 },
          ],
          slot: null,
        });
      expect(await ask(1, 0)).toEqual({
        refused: null,
        levels: [
          { points: 59, retryMs: 0, resetMs: 1000 },
          { points: 30, retryMs: 0, resetMs: 0 },
        ],
      });
      expect(await ask(1, 31)).toMatchObject({ refused: "seconds" });
      expect(await ask(60, 1)).toMatchObject({ refused: "requests" });
      expect((await ask(59, 30)).refused).toBeNull();
    });

    test("a lowered limit applies at once", async () => {
      await take(0);
      expect(await take(21, 20)).toMatchObject({ refused: "requests", points: 20 });
    });

    test("a clock that is stepped back an hour stops no refill", async () => {
      await take(60);
      now -= 3_600_000;
      expect(await take(1)).toMatchObject({ refused: "requests" });
      now += 1000;
      expect(await take(1)).toMatchObject({ refused: null });
    });

    test("a node whose clock is slightly behind admits nothing extra", async () => {
      await take(60);
      for (let i = 0; i < 20; i++) {
        now += i % 2 ? 5000 : -5000;
        expect(await take(1)).toMatchObject({ refused: "requests" });
      }
    });

    test("slots of many organizations that are released together are free, and no other", async () => {
      const owners = ["org-a", "org-b", "org-c"];
      const slots = owners.flatMap((owner) =>
        Array.from({ length: 12 }, (_, index) => [owner, `slot-${index}`] as const),
      );
      const decide = (organizationId: string, id: string) =>
        store.decide({ organizationId, now, take: [], slot: { id, max: 12 } });
      await Promise.all(slots.map(([owner, id]) => decide(owner, id)));
      const released = slots.filter((_, index) => index % 3 > 0);
      const late = owners.map((owner) => decide(owner, "late"));
      await Promise.all(released.map(([owner, id]) => store.release(owner, id)));
      const taken = (await Promise.all(late)).filter(({ refused }) => refused === null).length;
      const left = await Promise.all(owners.map((owner) => store.inFlight(owner, now)));
      expect(left.reduce((sum, count) => sum + count, 0)).toBe(4 * owners.length + taken);
    });

    test("all slots can be taken, and a released one is free again", async () => {
      expect((await hold("a")).refused).toBeNull();
      expect((await hold("b")).refused).toBeNull();
      expect((await hold("c")).refused).toBe("slot");
      await store.release("org", "a");
      expect((await hold("c")).refused).toBeNull();
      await store.release("org", "nobody");
      expect((await hold("d")).refused).toBe("slot");
    });

    test("the number of held slots is reported, and reading it takes none", async () => {
      const inFlight = () => store.inFlight("org", now);
      expect(await inFlight()).toBe(0);
      await hold("a");
      await hold("b");
      expect(await inFlight()).toBe(2);
      expect(await store.inFlight("other", now)).toBe(0);
      await store.release("org", "a");
      expect(await inFlight()).toBe(1);
      now += LEASE_MS;
      expect(await inFlight()).toBe(0);
    });

    test("a refused slot takes no points", async () => {
      await hold("a", 1);
      const both = { bucket: "requests", cost: 1, perMinute: 60 } as const;
      const answer = await store.decide({
        organizationId: "org",
        now,
        take: [both],
        slot: { id: "b", max: 1 },
      });
      expect(answer.refused).toBe("slot");
      expect(await take(60)).toMatchObject({ refused: null });
    });

    test("a refused bucket takes no slot", async () => {
      await take(60);
      const both = { bucket: "requests", cost: 1, perMinute: 60 } as const;
      await store.decide({ organizationId: "org", now, take: [both], slot: { id: "a", max: 1 } });
      expect((await hold("b", 1)).refused).toBeNull();
    });

    test("a slot expires without renewal, and stays with it", async () => {
      await hold("silent");
      await hold("alive");
      now += LEASE_MS - 1000;
      expect(await store.renew("org", "alive", now)).toBe(true);
      now += 1000;
      expect((await hold("next")).refused).toBeNull();
      expect((await hold("another")).refused).toBe("slot");
      expect(await store.renew("org", "silent", now)).toBe(false);
    });

    test("a clock that is stepped back an hour does not extend a lease by it", async () => {
      await hold("a", 1);
      now -= 3_600_000;
      expect((await hold("b", 1)).refused).toBe("slot");
      now += LEASE_MS;
      expect((await hold("b", 1)).refused).toBeNull();
    });

    test("of a thousand requests at once, exactly as many as fit are admitted", async () => {
      const answers = await Promise.all(Array.from({ length: 1000 }, () => take(1)));
      expect(answers.filter(({ refused }) => refused === null).length).toBe(60);
      const slots = await Promise.all(Array.from({ length: 100 }, (_, i) => hold(String(i), 7)));
      expect(slots.filter(({ refused }) => refused === null).length).toBe(7);
    });

    test("leases match the reference model under random operations", () =>
      fc.assert(
        fc.asyncProperty(
          fc.integer({ min: 1, max: 4 }),
          fc.array(
            fc.tuple(
              fc.constantFrom("hold", "release", "renew"),
              fc.integer({ min: 0, max: 5 }),
              fc.integer({ min: 0, max: LEASE_MS / 2 }),
            ),
            { maxLength: 40, size: "max" },
          ),
          async (max, steps) => {
            const organizationId = `org${Math.random()}`;
            const held = new Map<string, number>();
            for (const [what, who, waitMs] of steps) {
              now += waitMs;
              for (const [id, until] of held) if (until <= now) held.delete(id);
              const id = `caller${who}`;
              if (what === "release") {
                await store.release(organizationId, id);
                held.delete(id);
              } else if (what === "renew") {
                const kept = await store.renew(organizationId, id, now);
                if (held.has(id)) expect(kept).toBe(true);
                if (held.has(id)) held.set(id, now + LEASE_MS);
                else await store.release(organizationId, id); // a lease that ended unnoticed may still be renewed
              } else if (!held.has(id)) {
                const { refused } = await store.decide({ organizationId, now, take: [], slot: { id, max } });
                expect(refused).toBe(held.size < max ? null : "slot");
                if (refused === null) held.set(id, now + LEASE_MS);
              }
            }
          },
        ),
        { numRuns: runs },
      ));

    test("no more is admitted than capacity and rate allow, at any times", () =>
      fc.assert(
        fc.asyncProperty(
          fc.integer({ min: 1, max: 600 }),
          fc.array(fc.tuple(fc.nat(5000), fc.double({ min: 0, max: 30, noNaN: true })), {
            maxLength: 60,
            size: "max",
          }),
          async (perMinute, arrivals) => {
            const organizationId = `org${Math.random()}`;
            const begun = now;
            let admitted = 0;
            for (const [waitMs, cost] of arrivals) {
              now += waitMs;
              const { refused, points } = await take(cost, perMinute, organizationId);
              if (refused === null) admitted += cost;
              expect(points!).toBeGreaterThanOrEqual(0);
              const room = perMinute + ((now - begun) * perMinute) / 60_000;
              expect(admitted).toBeLessThanOrEqual(room + 0.001);
            }
          },
        ),
        { numRuns: runs },
      ));
  });
}
