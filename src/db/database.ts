/**
 * The database behind one interface: drizzle over SQLite (embedded) or PostgreSQL, brought up to date when opened.
 *
 * Queries are written once, typed by the SQLite tables, and awaited; both dialects answer rows. What must happen
 * together is given as a list to `atomically`, for one of the two cannot wait inside a transaction.
 */
import type { SQLWrapper } from "drizzle-orm";
import type { BetterSQLite3Database } from "drizzle-orm/better-sqlite3";
import type * as billing from "./sqlite/billing-tables.ts";
import type * as identity from "./sqlite/identity-tables.ts";
import type * as accounts from "./sqlite/tables.ts";

export type Tables = typeof accounts & typeof identity & typeof billing;

export type Database = AsyncDisposable & {
  query: Pick<BetterSQLite3Database<Tables>, "select" | "insert" | "update" | "delete">;
  tables: Tables;
  /** A write that changes nothing, the way that writes take: fails where there is no room for them. */
  probe(): Promise<void>;
  /** All of the statements or none. */
  atomically(statements: SQLWrapper[]): Promise<void>;
};

/** A query kept ready under a name of its own, whatever the dialect calls that. */
export function prepared<T>(query: { then(rows: (value: T) => unknown): unknown }, name: string) {
  type Preparable = { prepare(name: string): { execute(values: object): T | Promise<T> } };
  return (query as unknown as Preparable).prepare(name);
}

/** Was it refused because something of that name is already there? */
export function isConflict(error: unknown): boolean {
  const { code, cause } = error as { code?: string; cause?: { code?: string } };
  return [code, cause?.code].some((each) => each === "23505" || each?.startsWith("SQLITE_CONSTRAINT"));
}
