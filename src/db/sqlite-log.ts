/**
 * The log of the SQLite database (WAL): how its pages get into the database. A checkpoint beside the writer copies most of
 * them while the writer commits; one by the writer ends a log that has become long, when there is little left to copy.
 *
 *   commits ──> loquat.db-wal ──checkpoint, every few dozen commits──> loquat.db
 *                    └────────── the writer's own, from LOG_PAGES_MAX on ──┘
 */
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { sql } from "drizzle-orm";
import { SQLITE_FILE, type SqliteDatabase } from "./open-sqlite.ts";

/** Only a checkpoint during which nothing is written lets the log begin again, so that the writer must make one itself. */
const LOG_PAGES_MAX = 4000; // 16 MB

export function shareCheckpoints({ sqlite }: Pick<SqliteDatabase, "sqlite">): void {
  sqlite.run(sql.raw(`pragma wal_autocheckpoint = ${LOG_PAGES_MAX}`));
}

/** Copies all that is committed into the database, once. */
export function copyLog(folder: string): void {
  const connection = openCopying(folder);
  connection.pragma(COPY);
  connection.close();
}

/** Returns what copies all that is committed; it waits for no reader or writer, and leaves what they use to the next time. */
export function openCheckpoint(folder: string): () => void {
  const connection = openCopying(folder);
  return () => void connection.pragma(COPY);
}

const COPY = "wal_checkpoint(PASSIVE)";

function openCopying(folder: string): Sqlite.Database {
  const connection = new Sqlite(join(folder, SQLITE_FILE), { fileMustExist: true, timeout: 0 });
  connection.pragma("synchronous = FULL");
  return connection;
}
