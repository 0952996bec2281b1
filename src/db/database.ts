/**
 * One interface to the database: drizzle on SQLite (embedded) or PostgreSQL, migrated when opened.
 *
 * Queries are written once, typed by the SQLite tables. Statements of one transaction are passed as a list to
 * `atomically`, because SQLite's driver cannot await inside a transaction.
 */
import type { SQLWrapper } from "drizzle-orm";
import type { BetterSQLite3Database } from "drizzle-orm/better-sqlite3";
import type { CountOf } from "./change-counts.ts";
import type * as sqliteTables from "./sqlite/tables.ts";

export type Tables = typeof sqliteTables;

export type Database = AsyncDisposable & {
  /** Told of rows of the audit log once they are committed; set where a log takes them. */
  audited?: (row: Record<string, unknown>) => void;
  /** Called once a transaction may have added work for events; set where this process does it. */
  raised?: () => void;
  /** How often what many requests read has changed so far; only where the database counts it (see `change-counts.ts`). */
  changes?: CountOf;
  query: Pick<BetterSQLite3Database, "select" | "selectDistinct" | "insert" | "update" | "delete">;
  tables: Tables;
  /** Takes the path of a write without changing anything: fails if writes would, as on a full disk. */
  probe(): Promise<void>;
  /** All of the statements or none. */
  atomically(statements: SQLWrapper[]): Promise<void>;
  /**
   * The change and then what follows from it, all or none; nothing follows where it changes no row. Whether it did. Of
   * equal changes at once, one finds its row.
   */
  ifChanged(change: SQLWrapper, then: SQLWrapper[]): Promise<boolean>;
};

/** A prepared query, with the name that PostgreSQL needs. */
export function prepared<T>(query: { then(rows: (value: T) => unknown): unknown }, name: string) {
  type Preparable = { prepare(name: string): { execute(values: object): T | Promise<T> } };
  return (query as unknown as Preparable).prepare(name);
}

/** Whether a write violated a unique constraint. */
export function isConflict(error: unknown): boolean {
  const { code, cause } = error as { code?: string; cause?: { code?: string } };
  return [code, cause?.code].some((each) => each === "23505" || each?.startsWith("SQLITE_CONSTRAINT"));
}
