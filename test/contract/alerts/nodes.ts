/** Databases that several nodes open, for the contracts of what the ledger tells. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openPostgres } from "../../../src/db/open-postgres.ts";
import { openSqlite } from "../../../src/db/open-sqlite.ts";
import { openPostgresStore } from "../../../src/ledger/postgres.ts";
import { openSqliteStore, openSqliteWriter } from "../../../src/ledger/sqlite.ts";
import { openPostgres as openServer } from "../../faults/server-fixture.ts";
import { putMigrated } from "../../migrated.ts";
import type { AlertFixture } from "./alert-setting.ts";

export async function sqliteNodes(): Promise<AlertFixture> {
  const folder = mkdtempSync(join(tmpdir(), "loquat-alerts-"));
  await putMigrated(folder);
  return {
    async open() {
      const database = openSqlite(folder);
      const write = openSqliteWriter(database.sqlite);
      const store = openSqliteStore(database, async (writes) => write(writes).outcomes);
      return { database, store, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() };
    },
    async [Symbol.asyncDispose]() {
      rmSync(folder, { recursive: true });
    },
  };
}

export async function postgresNodes(): Promise<AlertFixture> {
  const server = (await openServer())!;
  return {
    async open() {
      const database = await openPostgres(server.url);
      const store = openPostgresStore(database);
      return { database, store, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() };
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

/** Whether there is a server of PostgreSQL. */
export async function hasPostgres(): Promise<boolean> {
  const reachable = await openServer();
  await reachable?.[Symbol.asyncDispose]();
  return reachable !== null && reachable !== undefined;
}
