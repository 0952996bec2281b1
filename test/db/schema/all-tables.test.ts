/** Promise: a table that is declared is known to migrations of both databases, to queries and to the reader of docs/data-model.md. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { getTableConfig as postgresConfig } from "drizzle-orm/pg-core";
import { getTableConfig as sqliteConfig } from "drizzle-orm/sqlite-core";
import * as postgresTables from "../../../src/db/postgres/tables.ts";
import { tablesOf } from "../../../src/db/schema/all-tables.ts";
import { sqliteKit } from "../../../src/db/schema/kit-sqlite.ts";
import * as sqliteTables from "../../../src/db/sqlite/tables.ts";

const ROOT = join(import.meta.dir, "../../..");
const read = (path: string) => readFileSync(join(ROOT, path), "utf8");
const declared = Object.keys(tablesOf(sqliteKit)).sort();

test("src/db/sqlite/tables.ts and src/db/postgres/tables.ts name every declared table", () => {
  const { limitLevel, ...shared } = postgresTables;
  expect(postgresConfig(limitLevel as never).name).toBe("limit_level");
  expect(Object.keys(sqliteTables).sort()).toEqual(declared);
  expect(Object.keys(shared).sort()).toEqual(declared);
});

test("docs/data-model.md has a row for each table", () => {
  const rows = [...read("docs/data-model.md").matchAll(/^\| (`.+?`) +\|/gm)];
  const documented = rows.flatMap(([, names]) => names!.split(", ").map((name) => name.replaceAll("`", "")));
  const names = Object.values(sqliteTables).map((table) => sqliteConfig(table).name);
  expect(documented.toSorted()).toEqual([...names, "limit_level", "change_count"].sort());
});

/** The columns of each table, as the last snapshot of the migrations has them. */
function columnsOf(dialect: "sqlite" | "postgres"): Record<string, string[]> {
  const { entries } = JSON.parse(read(`drizzle/${dialect}/meta/_journal.json`)) as {
    entries: { idx: number }[];
  };
  const last = String(entries.at(-1)!.idx).padStart(4, "0");
  const { tables } = JSON.parse(read(`drizzle/${dialect}/meta/${last}_snapshot.json`)) as {
    tables: Record<string, { name: string; columns: object }>;
  };
  return Object.fromEntries(
    Object.values(tables).map(({ name, columns }) => [name, Object.keys(columns).sort()]),
  );
}

test("the migrations of both databases have the tables and columns that are declared", () => {
  const named = (config: { name: string; columns: { name: string }[] }) =>
    [config.name, config.columns.map(({ name }) => name).sort()] as const;
  const sqlite = Object.values(sqliteTables).map((table) => named(sqliteConfig(table)));
  const postgres = Object.values(postgresTables).map((table) => named(postgresConfig(table as never)));
  expect(columnsOf("sqlite")).toEqual(Object.fromEntries(sqlite));
  expect(columnsOf("postgres")).toEqual(Object.fromEntries(postgres));
});
