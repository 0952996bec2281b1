/**
 * Promise: however the statements of several nodes are interleaved, and whatever fails meanwhile, the stored balances
 * equal the reference model after every commit. `SEED=… bun test test/ledger/simulation.test.ts` runs one schedule,
 * `SCHEDULES=2000` as many on PostgreSQL and four times as many on SQLite: after a change of the ledger's statements.
 */
import { afterAll, expect, test } from "bun:test";
import { openFixture } from "./simulation/database.ts";
import { lockOnlyExisting, simulate } from "./simulation/simulation.ts";
import { simulateSqlite } from "./simulation/sqlite.ts";

const seed = Bun.env.SEED;
const one = seed === undefined ? null : { from: Number(seed), count: 1 };
const count = Number(Bun.env.SCHEDULES ?? 500);
const RUN_MS = 1_800_000;
const fixture = await openFixture();
const unlessFixture = fixture ? "" : " (skipped: no PostgreSQL at 127.0.0.1:5432)";
afterAll(() => fixture?.[Symbol.asyncDispose]());

test.skipIf(!fixture)(
  `schedules of two to four nodes on PostgreSQL match the reference model${unlessFixture}`,
  () => simulate(fixture!, one ?? { from: 1, count }),
  RUN_MS,
);

test(
  "schedules of two servers on SQLite match the reference model",
  () => simulateSqlite(one ?? { from: 1, count: 4 * count }),
  RUN_MS,
);

/** One node finds an account that another one made after its lock, and overwrites what a third books on it meanwhile. */
test.skipIf(!fixture)(
  `a store that charges accounts which it did not lock is detected${unlessFixture}`,
  async () => {
    const caught = simulate(fixture!, { from: 58, count: 1, locking: lockOnlyExisting });
    await expect(caught).rejects.toThrow(/^SEED=58: stored/);
    await simulate(fixture!, { from: 58, count: 1 });
  },
  RUN_MS,
);
