/**
 * Opens the SQLite database of a data folder. Every commit is on the disk before it is answered.
 *
 * One server at a time uses a folder: a lock of the operating system on a file there, which ends with the process,
 * however that ends. Commands take no lock: the database itself keeps them apart.
 */
import { mkdirSync, rmSync } from "node:fs";
import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import Sqlite from "better-sqlite3";
import { type BetterSQLite3Database, drizzle } from "drizzle-orm/better-sqlite3";
import { migrate } from "drizzle-orm/better-sqlite3/migrator";
import type { Database } from "./open.ts";
import * as accounts from "./sqlite.ts";
import * as billing from "./sqlite-billing.ts";
import * as identity from "./sqlite-identity.ts";

/** `sqlite` is for stores that know what they stand on. */
export type SqliteDatabase = Database & { sqlite: BetterSQLite3Database<typeof tables> };

const tables = { ...accounts, ...identity, ...billing };
const MIGRATIONS = fileURLToPath(new URL("../../drizzle/sqlite", import.meta.url));

export function openSqlite(folder: string): SqliteDatabase {
  const connection = new Sqlite(join(folder, "loquat.db"));
  connection.pragma("journal_mode = WAL");
  connection.pragma("synchronous = FULL");
  connection.pragma("busy_timeout = 5000");
  connection.pragma("foreign_keys = ON");
  const sqlite = drizzle(connection, { schema: tables });
  migrate(sqlite, { migrationsFolder: MIGRATIONS });
  keepTriesInMemory(connection);
  return {
    sqlite,
    query: sqlite,
    tables,
    async probe() {
      await probeFolder(folder);
      connection.prepare("select 1 from installation").get();
    },
    async atomically(statements) {
      sqlite.transaction(
        (transaction) => {
          for (const statement of statements) transaction.run(statement);
        },
        { behavior: "immediate" },
      );
    },
    async [Symbol.asyncDispose]() {
      connection.close();
    },
  };
}

/**
 * How often somebody tried a door is written at every try, also by those who are refused: on the disk each would keep the
 * process waiting for it. There is one server on this database, and a restart may forget. A temporary table comes before
 * one of the same name, and is written without the lock of the database.
 */
function keepTriesInMemory(connection: Sqlite.Database): void {
  connection.pragma("temp_store = MEMORY");
  connection.exec(
    "create temp table attempt (key text primary key, count integer not null, until integer not null)",
  );
}

const PROBE_BYTES = 64 * 1024; // more than any one commit

/** The database itself is not written to: an unchanged row is not written at all, and a lock would be waited for. */
async function probeFolder(folder: string): Promise<void> {
  const path = join(folder, `probe-${process.pid}`);
  try {
    await using file = await open(path, "w");
    await file.write(Buffer.alloc(PROBE_BYTES));
    await file.datasync();
  } finally {
    await rm(path, { force: true });
  }
}

/** Null where another process has it. */
export function lockFolder(folder: string): Disposable | null {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, "server.lock");
  try {
    return hold(path);
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === "SQLITE_BUSY") return null;
    if (code !== "SQLITE_NOTADB" && code !== "SQLITE_CORRUPT") throw error;
    rmSync(path); // something else wrote there, so nobody holds it
    return hold(path);
  }
}

/** A transaction that never ends: it writes nothing, and keeps everybody else out. */
function hold(path: string): Disposable {
  const file = new Sqlite(path, { timeout: 0 });
  try {
    file.exec("begin exclusive");
  } catch (error) {
    file.close();
    throw error;
  }
  return { [Symbol.dispose]: () => void file.close() };
}
