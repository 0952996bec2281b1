/**
 * Schedules of the ledger's simulation (test/ledger/simulation): as many as `SCHEDULES` says, from the seed `SEED` on.
 * The first that fails ends the run, with its seed and its differences. A million take hours.
 */
import { openFixture } from "../../test/ledger/simulation/database.ts";
import { simulate } from "../../test/ledger/simulation/simulation.ts";
import { simulateSqlite } from "../../test/ledger/simulation/sqlite.ts";
import type { Row } from "../harness/row.ts";

const COUNT = 20_000;
const TELL_EVERY = 10_000;

export async function benchLedgerSchedules(): Promise<Row[]> {
  const count = Number(Bun.env.SCHEDULES ?? COUNT);
  const from = Number(Bun.env.SEED ?? 1);
  const rows = [await measured("SQLite", count, () => simulateSqlite({ from, count }))];
  await using fixture = await openFixture();
  if (!fixture) {
    process.stdout.write("  (no PostgreSQL on 127.0.0.1: its schedules are left out)\n");
    return rows;
  }
  const report = (done: number) => {
    if (done % TELL_EVERY === 0) process.stderr.write(`  ${done} schedules\n`);
  };
  rows.push(await measured("PostgreSQL", count, () => simulate(fixture, { from, count, report })));
  return rows;
}

async function measured(store: string, count: number, run: () => Promise<void>): Promise<Row> {
  const begun = performance.now();
  await run();
  const value = count / ((performance.now() - begun) / 1000);
  return { name: `${store}: ${count} schedules kept the books`, value, unit: "schedules/s" };
}
