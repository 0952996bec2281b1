/** Promise: limits in PostgreSQL keep the same contract, for several nodes. */
import { afterAll, expect, test } from "bun:test";
import { openPostgres as openDatabase } from "../../src/db/open-postgres.ts";
import { takeInAdvance } from "../../src/limits/advance/advance.ts";
import { atCommonTime } from "../../src/limits/common-time.ts";
import type { LimitStore } from "../../src/limits/limits.ts";
import { openPostgresLimits } from "../../src/limits/postgres.ts";
import { limitContract } from "../contract/limit.ts";
import { expectSameLoans } from "../contract/loans.ts";
import { openPostgres } from "../faults/server-fixture.ts";

const server = await openPostgres();
const database = server && (await openDatabase(server.url));
afterAll(async () => {
  await database?.[Symbol.asyncDispose]();
  await server?.[Symbol.asyncDispose]();
});

if (database) {
  limitContract(
    "postgres",
    async () => {
      await server.query("delete from limit_level");
      return openPostgresLimits(database);
    },
    50,
  );

  limitContract(
    "postgres, taken in advance",
    async (clock) => {
      await server.query("delete from limit_level");
      return takeInAdvance(openPostgresLimits(database), clock);
    },
    50,
  );

  test("the table lends as a bucket does", () =>
    expectSameLoans(async () => {
      await server.query("delete from limit_level");
      return openPostgresLimits(database);
    }, 50));

  test("two nodes admit no more than one would, however their requests meet", async () => {
    await using other = await openDatabase(server.url);
    const stores = [openPostgresLimits(database), openPostgresLimits(other)];
    const ask = (index: number) =>
      stores[index % 2]!.decide({
        organizationId: "new",
        now: 1000,
        take: [{ bucket: "requests", cost: 1, perMinute: 20 }],
        slot: { id: `slot_${index}`, max: 1000 },
      });
    const answers = await Promise.all(Array.from({ length: 60 }, (_, index) => ask(index)));
    expect(answers.filter(({ refused }) => refused === null).length).toBe(20);
    expect(await stores[0]!.inFlight("new", 1000)).toBe(20);
  });

  test("a limit is not written to the log of the database", async () => {
    expect(await server.query("select relpersistence from pg_class where relname = 'limit_level'")).toEqual([
      { relpersistence: "u" },
    ]);
  });

  test("nodes whose clocks are 40 s apart share slots and buckets", async () => {
    const now = 100_000;
    const node = (aheadMs: number) => {
      const store = atCommonTime(openPostgresLimits(database), () => aheadMs);
      return { store, now: now + aheadMs };
    };
    const take = ({ store, now }: { store: LimitStore; now: number }, id: string) =>
      store.decide({
        organizationId: "skewed",
        now,
        take: [{ bucket: "requests", cost: 30, perMinute: 60 }],
        slot: { id, max: 2 },
      });
    const [right, ahead] = [node(0), node(40_000)];
    expect((await take(right, "a")).refused).toBeNull();
    expect((await take(ahead, "b")).refused).toBeNull(); // the slot of the other node is still held
    expect((await take(ahead, "c")).refused).toBe("requests");
    expect(await ahead.store.inFlight("skewed", ahead.now)).toBe(2);
    expect(await right.store.renew("skewed", "b", right.now)).toBe(true);
  });
} else {
  test.skip("limits in PostgreSQL (skipped: no server at 127.0.0.1:5432)", () => {});
}
