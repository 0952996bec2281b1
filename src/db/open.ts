/** Opens the database of a data folder, brought up to date. Every commit is on the disk before it is answered. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import Sqlite from "better-sqlite3";
import { type BetterSQLite3Database, drizzle } from "drizzle-orm/better-sqlite3";
import { migrate } from "drizzle-orm/better-sqlite3/migrator";
import * as tables from "./sqlite.ts";

export type Database = BetterSQLite3Database<typeof tables> & Disposable;

const MIGRATIONS = fileURLToPath(new URL("../../drizzle/sqlite", import.meta.url));

export function openDatabase(folder: string): Database {
  const sqlite = new Sqlite(join(folder, "loquat.db"));
  sqlite.pragma("journal_mode = WAL");
  sqlite.pragma("synchronous = FULL");
  sqlite.pragma("busy_timeout = 5000");
  sqlite.pragma("foreign_keys = ON");
  const database = drizzle(sqlite, { schema: tables });
  migrate(database, { migrationsFolder: MIGRATIONS });
  return Object.assign(database, { [Symbol.dispose]: () => void sqlite.close() });
}
