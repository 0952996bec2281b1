/** The parts of a durable charge: the sync of the disk, the statements, the way to the writer and back. */
import { closeSync, fdatasyncSync, mkdirSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { readConfig } from "../../src/config/config.ts";
import { openSqlite } from "../../src/db/open-sqlite.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { openSqliteWriter } from "../../src/ledger/sqlite.ts";
import { openRedisLimits } from "../../src/limits/redis.ts";
import { openStorage } from "../../src/server/storage.ts";
import { chargeOf, grantOf, requestFor } from "../../test/contract/ledger/charges.ts";
import { withDatabase } from "../harness/postgres.ts";
import { median, type Row, timed } from "../harness/row.ts";
import { REDIS } from "../requests/metered.ts";

const TURNS = 1000;
/** What a charge adds to the log of SQLite: four pages of 4 KiB. */
const LOGGED_BYTES = 16_384;

const CREDIT = grantOf({ amountMicros: 1e12 });

export async function ledgerFloors(): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), "loquat-bench-"));
  try {
    return [
      await syncing(join(folder, "synced")),
      await row("SQLite: statements of a charge, without the sync", await booking(folder)),
      ...(await charging("SQLite: a charge, through the writer's thread", { LOQUAT_DATA: folder })),
      ...(await withDatabase(postgresFloors)),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function postgresFloors(url: string): Promise<Row[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query("create table floor (value integer)");
  await using limits = await openRedisLimits(REDIS);
  const ask = { organizationId: "org", now: Date.now(), take: [], slot: { id: "slot", max: 10 } };
  const rows = [
    await row("PostgreSQL: a round trip", () => client.query("select 1")),
    await row("PostgreSQL: a row, durable", () => client.query("insert into floor values (1)")),
    ...(await charging("PostgreSQL: a charge", { DATABASE_URL: url })),
    await row("Redis: a decision of the limits", async () => limits.decide(ask)),
  ];
  await client.end();
  return rows;
}

async function syncing(path: string): Promise<Row> {
  const file = openSync(path, "w");
  const sync = async () => {
    writeSync(file, new Uint8Array(LOGGED_BYTES));
    fdatasyncSync(file);
  };
  try {
    return await row("SQLite: a sync of four pages to the disk", sync);
  } finally {
    closeSync(file);
  }
}

/** In a database of its own that leaves the sync to the system. */
async function booking(folder: string): Promise<() => Promise<void>> {
  const unsynced = join(folder, "unsynced");
  mkdirSync(unsynced);
  const { sqlite } = openSqlite(unsynced);
  sqlite.run("pragma synchronous = off");
  const apply = openSqliteWriter(sqlite);
  apply([{ grant: CREDIT }]);
  return async () => {
    const charge = chargeOf();
    apply([{ charge, request: requestFor(charge) }]);
  };
}

async function charging(name: string, environment: Record<string, string>): Promise<Row[]> {
  const config = readConfig({ ...Bun.env, ...environment });
  await using storage = await openStorage(config, { writer: "thread" });
  await storage.ledger.grant(CREDIT);
  return [await row(name, () => charge(storage.ledger))];
}

function charge(ledger: Ledger) {
  const next = chargeOf();
  return ledger.charge(next, requestFor(next));
}

/** The median of calls that follow each other. */
async function row(name: string, call: () => Promise<unknown>): Promise<Row> {
  const times: number[] = [];
  for (let turn = 0; turn < TURNS; turn++) times.push(await timed(call));
  return { name, value: median(times), unit: "ms" };
}
