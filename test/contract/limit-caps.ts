/** What every limit store must do of the limits of keys and projects: refuse by them where their organization has more. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { Clock } from "../../src/clock.ts";
import { LEASE_MS, type LimitStore } from "../../src/limits/limits.ts";

export function limitCapsContract(name: string, prepare: (clock: Clock) => Promise<LimitStore>) {
  describe(`${name}, limits of keys and projects`, () => {
    let store: LimitStore;
    let now = Date.UTC(2026, 0, 2);
    beforeEach(async () => {
      store = await prepare({ now: () => now });
    });
    afterEach(() => store[Symbol.asyncDispose]());

    test("a key's bucket refuses where the organization's has more, and each counts by itself", async () => {
      const ask = (key: string, cost: number) =>
        store.decide({
          organizationId: "org",
          now,
          take: [
            { bucket: `${key}/requests`, cost, perMinute: 20 },
            { bucket: "requests", cost, perMinute: 60 },
          ],
          slot: null,
        });
      expect((await ask("key_1", 20)).levels.map(({ points }) => points)).toEqual([0, 40]);
      expect(await ask("key_1", 1)).toMatchObject({ refused: "key_1/requests" });
      expect((await ask("key_2", 20)).refused).toBeNull();
      now += 300_000;
      expect((await ask("key_1", 20)).levels.map(({ points }) => points)).toEqual([0, 40]);
    });

    test("a key has no more slots than it may, and other keys have the rest", async () => {
      const holdFor = (id: string, ...subjects: string[]) =>
        store.decide({
          ...{ organizationId: "org", now, take: [] },
          slot: {
            id: [id, ...subjects].join(" "),
            max: 4,
            caps: subjects.map((subject) => ({ subject, max: subject === "proj" ? 3 : 2 })),
          },
        });
      expect((await holdFor("free")).refused).toBeNull();
      expect((await holdFor("a", "key_1", "proj")).refused).toBeNull();
      expect((await holdFor("b", "key_1", "proj")).refused).toBeNull();
      expect((await holdFor("c", "key_1", "proj")).refused).toBe("key_1/slot");
      expect((await holdFor("d", "key_11", "proj")).refused).toBeNull();
      expect((await holdFor("e", "key_2", "proj")).refused).toBe("proj/slot");
      expect((await holdFor("f", "key_2")).refused).toBe("slot");
      expect(await store.renew("org", "a key_1 proj", now)).toBe(true);
      await store.release("org", "a key_1 proj");
      expect((await holdFor("g", "key_1", "proj")).refused).toBeNull();
      now += LEASE_MS + 1;
      expect((await holdFor("h", "key_1", "proj")).refused).toBeNull();
    });
  });
}
