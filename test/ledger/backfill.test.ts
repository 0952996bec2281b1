/** Promise: migrations add earlier usage to the sums as if it had been counted at the time, and make all of it prepaid. */
import { afterAll, expect, test } from "bun:test";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import Sqlite from "better-sqlite3";
import { drizzle as drizzleSqlite } from "drizzle-orm/better-sqlite3";
import { migrate as migrateSqlite } from "drizzle-orm/better-sqlite3/migrator";
import { drizzle as drizzlePostgres } from "drizzle-orm/node-postgres";
import { migrate as migratePostgres } from "drizzle-orm/node-postgres/migrator";
import { Client } from "pg";
import type { Database } from "../../src/db/database.ts";
import { openPostgres } from "../../src/db/open-postgres.ts";
import { openSqlite } from "../../src/db/open-sqlite.ts";
import type { UsageEvent } from "../../src/ledger/booking/burn-down.ts";
import { type Counted, rollUp } from "../../src/ledger/booking/rollup.ts";
import { openPostgres as openServer } from "../faults/server-fixture.ts";

const folder = mkdtempSync(join(tmpdir(), "loquat-backfill-"));
const server = await openServer("backfill");
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await server?.[Symbol.asyncDispose]();
});

/** The migrations as they were before there were sums. */
function migrationsBefore(dialect: "sqlite" | "postgres"): string {
  const copy = join(folder, dialect);
  cpSync(fileURLToPath(new URL(`../../drizzle/${dialect}`, import.meta.url)), copy, { recursive: true });
  const path = join(copy, "meta/_journal.json");
  const journal = JSON.parse(readFileSync(path, "utf8"));
  const entries = journal.entries.filter(({ idx }: { idx: number }) => idx < 2);
  writeFileSync(path, JSON.stringify({ ...journal, entries }));
  return copy;
}

const MIDNIGHT = Date.UTC(2026, 0, 3) / 1000;
const NUMBERS = Array.from({ length: 40 }, (_, index) => index);
const shared = (index: number) => ({
  organizationId: `org_${index % 2}`,
  projectId: "proj",
  keyId: `key_${index % 3}`,
  environment: index % 5 === 0 ? ("test" as const) : ("live" as const),
  endpoint: "/v1/audio/speech",
  createdAt: MIDNIGHT - 7200 + index * 400,
});
const events = NUMBERS.map((index) => ({
  ...shared(index),
  id: `req_${index}.0`,
  model: `model_${index % 2}`,
  unit: index % 2 ? "second" : "character",
  quantity: index % 2 ? index + 0.25 : index,
  costMicros: index,
})) as UsageEvent[];
const logs: Counted[] = NUMBERS.map((index) => ({
  ...shared(index),
  id: `req_${index}`,
  model: index % 4 === 3 ? null : `model_${index % 2}`,
  status: [200, 499, 429, 500, 101][index % 5]!,
  endUser: null,
  label: null,
  ...{ language: null, finalTextMs: null },
}));
const counted = rollUp({ events, voided: [], logs, known: [] });

const text = (value: string | number | null) => (typeof value === "string" ? `'${value}'` : String(value));
const inserts = [
  ...events.map(
    (one) =>
      `insert into usage_event values (${[
        one.id,
        one.organizationId,
        one.projectId,
        one.keyId,
        one.environment,
        one.id,
        one.endpoint,
        one.model,
        one.unit,
        one.quantity,
        1,
        one.costMicros,
        0,
        "[]",
        202601,
        one.createdAt,
      ].map(text)})`,
  ),
  ...logs.map(
    (one) => `insert into request_log (id, created_at, duration_ms, endpoint, method, status, organization_id,
      project_id, key_id, environment, model, stream, cost_micros) values (${[
        one.id,
        one.createdAt,
        1,
        one.endpoint,
        "POST",
        one.status,
        one.organizationId,
        one.projectId,
        one.keyId,
        one.environment,
        one.model,
      ].map(text)}, false, 0)`,
  ),
];

inserts.push("insert into organization (id, name, status, created_at) values ('org_0', 'Old', 'active', 1)");

/** The plans of organizations and of events, each once. */
async function plansIn({ query, tables: { organization, usageEvent } }: Database): Promise<string[][]> {
  const rows = [await query.select().from(organization), await query.select().from(usageEvent)];
  return rows.map((all) => [...new Set(all.map(({ plan }) => plan))]);
}

/** Without what clients left: sums of earlier versions never told it apart. */
const inOrder = (rows: object[]) =>
  rows
    .map((row) => Object.entries(row).filter(([name]) => name !== "abandoned"))
    .map((fields) => JSON.stringify(fields.sort(([a], [b]) => (a < b ? -1 : 1))))
    .sort();

test("the migration adds earlier usage to the sums on SQLite", async () => {
  const before = new Sqlite(join(folder, "loquat.db"));
  migrateSqlite(drizzleSqlite(before), { migrationsFolder: migrationsBefore("sqlite") });
  for (const insert of inserts) before.exec(insert);
  before.close();
  await using database = openSqlite(folder);
  expect(inOrder(await database.query.select().from(database.tables.usageTotal))).toEqual(inOrder(counted));
  expect(await plansIn(database)).toEqual([["prepaid"], ["prepaid"]]);
});

test.skipIf(!server)("the migration adds earlier usage to the sums on PostgreSQL", async () => {
  const before = new Client(server!.url);
  await before.connect();
  await before.query("drop schema public, drizzle cascade; create schema public"); // the fixture has migrated it
  await migratePostgres(drizzlePostgres(before), { migrationsFolder: migrationsBefore("postgres") });
  for (const insert of inserts) await before.query(insert);
  await before.end();
  await using database = await openPostgres(server!.url);
  expect(inOrder(await database.query.select().from(database.tables.usageTotal))).toEqual(inOrder(counted));
  expect(await plansIn(database)).toEqual([["prepaid"], ["prepaid"]]);
});
