/** Promise: a database of any earlier version is brought up to date with all of its rows, and its ledger still adds up. */
import { afterAll, expect, test } from "bun:test";
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import Sqlite from "better-sqlite3";
import { drizzle as drizzleSqlite } from "drizzle-orm/better-sqlite3";
import { migrate as migrateSqlite } from "drizzle-orm/better-sqlite3/migrator";
import { drizzle as drizzlePostgres } from "drizzle-orm/node-postgres";
import { migrate as migratePostgres } from "drizzle-orm/node-postgres/migrator";
import { Client } from "pg";
import { readConfig } from "../../src/config/config.ts";
import { differencesOf } from "../../src/ledger/verify.ts";
import { openStorage } from "../../src/server/storage.ts";
import { openPostgres as openServer } from "../faults/server-fixture.ts";
import { heldClock } from "../harness.ts";

const folder = mkdtempSync(join(tmpdir(), "loquat-migrations-"));
const server = await openServer("migrations");
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await server?.[Symbol.asyncDispose]();
});

type Dialect = "sqlite" | "postgres";
type Entry = { tag: string };
const source = (dialect: Dialect) => fileURLToPath(new URL(`../../drizzle/${dialect}`, import.meta.url));
const journalOf = (dialect: Dialect): { entries: Entry[] } =>
  JSON.parse(readFileSync(join(source(dialect), "meta/_journal.json"), "utf8"));
const tags = journalOf("sqlite").entries.map(({ tag }) => tag);

/** The migrations up to one of them: in one folder, whose journal names those until the next call. */
function until(dialect: Dialect, tag: string): string {
  const copy = join(folder, dialect);
  if (!existsSync(copy)) cpSync(source(dialect), copy, { recursive: true });
  const journal = journalOf(dialect);
  const last = journal.entries.findIndex((entry) => entry.tag === tag);
  const kept = { ...journal, entries: journal.entries.slice(0, last + 1) };
  writeFileSync(join(copy, "meta/_journal.json"), JSON.stringify(kept));
  return copy;
}

/** A SQLite database without rows, which is brought from version to version; those of tests are copies of it. */
const grown = join(folder, "grown.db");

function putSqlite(path: string, tag: string): void {
  const database = new Sqlite(grown);
  database.pragma("synchronous = off");
  migrateSqlite(drizzleSqlite(database), { migrationsFolder: until("sqlite", tag) });
  database.close();
  copyFileSync(grown, path);
}

const at = Date.UTC(2026, 0, 2) / 1000;
const clock = heldClock();

/** What every version can hold: two charges of a grant, the second beyond it, and a refused request. */
const ledgerRows = (isPostgres: boolean) => {
  const [no, yes] = isPostgres ? ["false", "true"] : ["0", "1"];
  const hash = isPostgres ? "'\\x00'::bytea" : "x'00'";
  const event = (id: string, cost: number, over: number) =>
    `insert into usage_event (id, organization_id, project_id, key_id, environment, request_id, endpoint, model, unit,
      quantity, price_micros, cost_micros, overdraft_micros, burns, month, created_at)
     values ('${id}.0', 'org_0', 'proj_0', 'key_0', 'live', '${id}', '/v1/audio/speech', 'svc-tts1', 'character', 10, 1,
      ${cost}, ${over}, '[["grant_0",${cost - over}]]', 202601, ${at})`;
  const log = (id: string, status: number, cost: number) =>
    `insert into request_log (id, created_at, duration_ms, endpoint, method, status, organization_id, project_id, key_id,
      environment, model, stream, cost_micros)
     values ('${id}', ${at}, 1, '/v1/audio/speech', 'POST', ${status}, 'org_0', 'proj_0', 'key_0', 'live', 'svc-tts1',
      ${no}, ${cost})`;
  return [
    `insert into organization (id, name, status, created_at) values ('org_0', 'Old', 'active', ${at})`,
    `insert into project (id, organization_id, name, status, is_default, created_at)
     values ('proj_0', 'org_0', 'Default', 'active', ${yes}, ${at})`,
    `insert into api_key (id, organization_id, project_id, name, environment, prefix, last4, hash, scopes, created_at)
     values ('key_0', 'org_0', 'proj_0', 'First', 'live', 'sk_live', 'abcd', ${hash}, '[]', ${at})`,
    `insert into installation (id, organization_id) values (1, 'org_0')`,
    `insert into credit_account (organization_id, overdraft_micros, month, month_micros, purchased_micros)
     values ('org_0', 5, 202601, 25, 0)`,
    `insert into credit_grant (id, organization_id, kind, amount_micros, settled_micros, remaining_micros, created_at)
     values ('grant_0', 'org_0', 'starting', 20, 0, 0, ${at})`,
    ...[event("req_0", 15, 0), event("req_1", 10, 5)],
    ...[log("req_0", 200, 15), log("req_1", 200, 10), log("req_2", 429, 0)],
  ];
};

/** The sums that later versions keep beside the events. */
const sums = [3600, 86_400].map(
  (seconds) =>
    `insert into usage_total (organization_id, period, start, project_id, key_id, environment, model, endpoint, requests,
      errors, characters, audio_seconds, cost_micros)
     values ('org_0', '${seconds === 3600 ? "hour" : "day"}', ${at - (at % seconds)}, 'proj_0', 'key_0', 'live', 'svc-tts1',
      '/v1/audio/speech', 3, 1, 20, 0, 25)`,
);

const KEYS: Record<string, string> = {
  ...{
    organization_id: "org_0",
    project_id: "proj_0",
    key_id: "key_0",
    voice_id: "voice_id",
    job_id: "job_id",
    batch_id: "batch_id",
  },
};
type Column = { table: string; column: string; type: string };

/** One row for each other table, of the columns that need a value. */
function otherRows(columns: Column[]): string[] {
  const known = /^(organization|project|api_key|installation|credit_.*|usage_.*|request_log|__drizzle.*)$/;
  const tables = Map.groupBy(columns, ({ table }) => table);
  const names = [...tables.keys()].filter((name) => !known.test(name)).sort((a, b) => order(a) - order(b));
  return names.map((table) => {
    const columns = tables.get(table)!;
    const values = columns.map(({ column, type }) => sampleOf(table, column, type.toLowerCase()));
    return `insert into "${table}" (${columns.map(({ column }) => `"${column}"`).join(", ")}) values (${values.join(", ")})`;
  });
}

/** A transaction for all rows is written to the disk once. */
const inOne = (rows: string[]) => `begin;\n${rows.join(";\n")};\ncommit`;

const order = (table: string) => (["user", "voice", "job", "batch"].includes(table) ? 0 : 1); // others refer to it

function sampleOf(table: string, column: string, type: string): string {
  if (column === "user_id" || column === "inviter_id") return "'user_id'";
  if (/^(budget_period|spend_count)$/.test(table) && column === "micros") return "0"; // no charge counts toward them
  if (KEYS[column]) return `'${KEYS[column]}'`;
  if (/int|real|double/.test(type)) return "1";
  if (/bool/.test(type)) return "true";
  if (/timestamp/.test(type)) return "now()";
  if (/json/.test(type)) return "'{}'";
  if (/blob|bytea/.test(type)) return type === "blob" ? "x'01'" : "'\\x01'::bytea";
  return `'${table}_${column}'`;
}

async function expectWhole(environment: Record<string, string>): Promise<void> {
  const config = readConfig({ LOQUAT_DATA: join(folder, "unused"), ...environment });
  await using storage = await openStorage(config, { clock });
  expect(differencesOf(await storage.ledger.audit())).toEqual([]);
  expect(await storage.ledger.credit("org_0")).toMatchObject({ overdraftMicros: 5, monthMicros: 25 });
  expect(await storage.accounts.organization("org_0")).toMatchObject({ name: "Old", plan: "prepaid" });
  expect((await storage.ledger.requests("org_0", 10)).length).toBe(3);
}

test("both databases have the same migrations", () => {
  expect(journalOf("postgres").entries.map(({ tag }) => tag)).toEqual(tags);
});

test.each(tags)("a SQLite database of %s", async (tag) => {
  const data = join(folder, `data-${tag}`);
  mkdirSync(data);
  putSqlite(join(data, "loquat.db"), tag);
  const before = new Sqlite(join(data, "loquat.db"));
  const columns = before
    .prepare(
      `select m.name as "table", c.name as "column", c.type from sqlite_master m, pragma_table_info(m.name) c
       where m.type = 'table' and (c."notnull" = 1 or c.pk > 0) and c.dflt_value is null`,
    )
    .all() as Column[];
  const hasSums = columns.some(({ table }) => table === "usage_total");
  const rows = otherRows(columns);
  before.exec(inOne([...ledgerRows(false), ...(hasSums ? sums : []), ...rows]));
  before.close();
  await expectWhole({ LOQUAT_DATA: data });
  const after = new Sqlite(join(data, "loquat.db"));
  expect(after.pragma("integrity_check")).toEqual([{ integrity_check: "ok" }]);
  expect(after.pragma("foreign_key_check")).toEqual([]);
  for (const sql of rows) {
    const table = /"(\w+)"/.exec(sql)![1];
    expect([table, after.prepare(`select count(*) as n from "${table}"`).get()]).toEqual([table, { n: 1 }]);
  }
  after.close();
});

test.skipIf(!server).each(tags)(
  `a PostgreSQL database of %s${server ? "" : " (skipped: no PostgreSQL at 127.0.0.1:5432)"}`,
  async (tag) => {
    const before = new Client(server!.url);
    await before.connect();
    await before.query(
      "drop schema if exists drizzle cascade; drop schema public cascade; create schema public",
    );
    await migratePostgres(drizzlePostgres(before), { migrationsFolder: until("postgres", tag) });
    const { rows: columns } = await before.query(
      `select table_name as "table", column_name as "column", data_type as type from information_schema.columns
       where table_schema = 'public' and is_nullable = 'NO' and column_default is null and is_identity = 'NO'`,
    );
    const hasSums = columns.some(({ table }) => table === "usage_total");
    const rows = otherRows(columns);
    await before.query(inOne([...ledgerRows(true), ...(hasSums ? sums : []), ...rows]));
    await before.end();
    await expectWhole({ DATABASE_URL: server!.url });
    for (const sql of rows) {
      const table = /"(\w+)"/.exec(sql)![1];
      expect([table, await server!.query(`select count(*)::int as n from "${table}"`)]).toEqual([
        table,
        [{ n: 1 }],
      ]);
    }
  },
);
