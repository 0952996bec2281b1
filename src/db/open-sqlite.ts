/**
 * Opens the SQLite database of a data folder. Every commit is synced to disk.
 *
 * One server at a time uses a folder: it holds an operating-system lock on a file there, released when the process ends
 * in any way. Commands take no lock: SQLite's own locking isolates them.
 */
import { mkdirSync, rmSync } from "node:fs";
import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import type { SQLWrapper } from "drizzle-orm";
import { type BetterSQLite3Database, drizzle } from "drizzle-orm/better-sqlite3";
import { migrate } from "drizzle-orm/better-sqlite3/migrator";
import { SQLiteSyncDialect, type SQLiteTable } from "drizzle-orm/sqlite-core";
import { drizzle as remote } from "drizzle-orm/sqlite-proxy";
import { inBatches } from "../batching.ts";
import { Refusal } from "../errors.ts";
import { resource } from "../resources.ts";
import { changeReader, countChanges } from "./change-counts.ts";
import type { Database } from "./database.ts";
import { newestMigration, refuseNewer } from "./schema-version.ts";
import * as tables from "./sqlite/tables.ts";
import { newestApplied } from "./sqlite-file.ts";

/** `sqlite` is for SQLite-specific stores, `perform` for the writer thread. */
export type SqliteDatabase = Database & {
  sqlite: BetterSQLite3Database & { $client: Sqlite.Database };
  /** Runs all jobs in one transaction; a failing job is rolled back alone. */
  perform(jobs: Job[]): Done[];
};

/** "guard": where it changes no row, the job ends without a row. */
type Method = "run" | "all" | "values" | "get" | "guard";
type Statement = { sql: string; params: unknown[]; method: Method };

/** Statements of one transaction. Returns the rows of the last one that has any, or the error. */
export type Job = Statement[];
export type Done = { rows: unknown[] } | { error: { message: string; code: string } };

/** The database's file within its folder. */
export const SQLITE_FILE = "loquat.db";
const MIGRATIONS = resource("drizzle/sqlite");

export function openSqlite(folder: string): SqliteDatabase {
  const connection = openFile(join(folder, SQLITE_FILE));
  connection.pragma("journal_mode = WAL");
  connection.pragma("synchronous = FULL");
  connection.pragma("busy_timeout = 5000");
  connection.pragma("foreign_keys = ON");
  const sqlite = drizzle(connection);
  migrate(sqlite, { migrationsFolder: MIGRATIONS });
  countChanges(connection);
  keepAttemptsInMemory(connection);
  return {
    sqlite,
    changes: changeReader(connection),
    perform: performer(connection),
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
    ifChanged: async (change, then) =>
      sqlite.transaction(
        (transaction) => {
          if (transaction.run(change).changes === 0) return false;
          for (const statement of then) transaction.run(statement);
          return true;
        },
        { behavior: "immediate" },
      ),
    async [Symbol.asyncDispose]() {
      connection.close();
    },
  };
}

/** The newest migration that this program knows, by name. */
export const newestSqliteMigration = (): string => newestMigration(MIGRATIONS).tag;

function openFile(path: string): Sqlite.Database {
  const connection = new Sqlite(path);
  try {
    refuseNewer(newestApplied(connection), MIGRATIONS);
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** Errors of a single statement; any other error is the database's, and fails the whole transaction. */
const OWN_FAULTS = /^SQLITE_(CONSTRAINT|ERROR|MISMATCH|RANGE|TOOBIG)/;

function performer(connection: Sqlite.Database): SqliteDatabase["perform"] {
  const one = connection.transaction((job: Job) => {
    let rows: unknown[] = [];
    for (const { sql, params, method } of job) {
      const statement = connection.prepare(sql);
      if (method === "run") statement.run(...params);
      else if (method === "guard") {
        const { changes } = statement.run(...params);
        if (changes === 0) return [];
        rows = [changes];
      } else if (method === "get") rows = statement.raw().get(...params) as unknown[];
      else rows = statement.raw().all(...params);
    }
    return rows;
  });
  const all = connection.transaction((jobs: Job[]) =>
    jobs.map((job): Done => {
      try {
        return { rows: one(job) }; // a savepoint, inside a transaction
      } catch (error) {
        const { message, code = "" } = error as { message: string; code?: string };
        if (!OWN_FAULTS.test(code)) throw error;
        return { error: { message, code } };
      }
    }),
  );
  return (jobs) => all.immediate(jobs);
}

/**
 * The same database with writes on another thread: a write waits for the disk, and up to `busy_timeout` for another
 * process, which must not block the event loop. Writes that arrive meanwhile form the next transaction.
 */
export function writtenBy(
  database: SqliteDatabase,
  perform: (jobs: Job[]) => Promise<Done[]>,
): SqliteDatabase {
  const write = openLine(perform);
  const dialect = new SQLiteSyncDialect();
  const asked = (method: Method) => (statement: SQLWrapper) => {
    const { sql, params } = dialect.sqlToQuery(statement.getSQL());
    return { sql, params, method };
  };
  const away = remote(async (sql, params, method) => ({ rows: await write([{ sql, params, method }]) }), {
    schema: tables,
  }) as unknown as Database["query"];
  const { sqlite } = database;
  const { attempt } = database.tables; // in this connection's memory only
  const of = (table: SQLiteTable) => (table === attempt ? sqlite : away);
  const query: Database["query"] = Object.assign(Object.create(sqlite), {
    insert: (table: SQLiteTable) => of(table).insert(table),
    update: (table: SQLiteTable) => of(table).update(table),
    delete: (table: SQLiteTable) => of(table).delete(table),
  });
  return {
    ...database,
    query,
    async atomically(statements: SQLWrapper[]) {
      await write(statements.map(asked("run")));
    },
    ifChanged: async (change, then) =>
      (await write([asked("guard")(change), ...then.map(asked("run"))])).length > 0,
  };
}

const TOGETHER_MAX = 256;
const WAITING_MAX = 10_000;

function openLine(perform: (jobs: Job[]) => Promise<Done[]>): (job: Job) => Promise<never[]> {
  const full = { waitingMax: WAITING_MAX, refusal: tooBusy };
  const performed = inBatches(perform, { max: TOGETHER_MAX, full });
  return async (job) => {
    const done = await performed(job);
    if ("error" in done) throw Object.assign(new Error(done.error.message), { code: done.error.code });
    return done.rows as never[];
  };
}

const tooBusy = () =>
  new Refusal("service_unavailable", "The database is busy. Try again in a moment.", {
    retryAfterSeconds: 1,
  });

/**
 * Keeps attempt counts in memory: they are written at every attempt, refused ones included, and would each wait for the
 * disk. There is a single server, and a restart may forget them. A temporary table shadows the one of the same name,
 * and is written without locking the database.
 */
function keepAttemptsInMemory(connection: Sqlite.Database): void {
  connection.pragma("temp_store = MEMORY");
  connection.exec(
    "create temp table attempt (key text primary key, count integer not null, until integer not null)",
  );
}

const PROBE_BYTES = 64 * 1024; // more than any one commit

/** Writes to a separate file: an unchanged row would not be written, and the database's lock may have to be waited for. */
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

/** Null if another process holds it. */
export function lockFolder(folder: string): Disposable | null {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, "server.lock");
  try {
    return hold(path);
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === "SQLITE_BUSY") return null;
    if (code !== "SQLITE_NOTADB" && code !== "SQLITE_CORRUPT") throw error;
    rmSync(path); // not a lock file, so no process holds it
    return hold(path);
  }
}

/** Holds an exclusive transaction for as long as the process runs. */
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
