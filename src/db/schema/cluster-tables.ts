/**
 * The tables of nodes that share a database. Times are Unix milliseconds; those of nodes by the database's clock. The tables
 * of nodes stay empty in SQLite: one server uses an embedded database.
 */
import type { Kit } from "./kit-sqlite.ts";

export function nodeTables({ table, primaryKey, text, integer, milliseconds, flag, json }: Kit) {
  /** A running server, which writes its row again every two seconds. */
  const node = table("node", {
    id: text().primaryKey(),
    /** Where it listens, such as http://10.0.0.5:8080. */
    address: text().notNull(),
    version: text().notNull(),
    /** When its process started, by its own clock: of two processes with one id, the later one keeps the row. */
    startedMs: milliseconds("started_ms").notNull(),
    seenMs: milliseconds("seen_ms").notNull(),
    /** By how much its clock is ahead of the database's. */
    skewMs: milliseconds("skew_ms").notNull(),
    draining: flag().notNull(),
    /** Load, packages and devices, as its version reports them. */
    report: json().$type<object>().notNull(),
  });

  /** What a process of a node served in one minute of the last hour. */
  const nodeMinute = table(
    "node_minute",
    {
      node: text().notNull(),
      /** When its process started, by its own clock. */
      startedMs: milliseconds("started_ms").notNull(),
      /** In Unix seconds. */
      start: integer().notNull(),
      succeeded: integer().notNull(),
      refused: integer().notNull(),
      failed: integer().notNull(),
      sessions: integer().notNull(),
      waited: integer().notNull(),
      /** In milliseconds, at most twenty. */
      waits: json().$type<number[]>().notNull(),
    },
    ({ node, startedMs, start }) => [primaryKey({ columns: [node, startedMs, start] })],
  );
  return { node, nodeMinute };
}

export function sharedFileTables({ table, text, milliseconds, flag, json, bytes }: Kit) {
  /** What every node should have installed, or should no longer have. */
  const requestedPackage = table("requested_package", {
    name: text().primaryKey(),
    /** Precisions by name; "": the one that suits the machine. Null: to be removed where it was installed before. */
    variants: json().$type<string[]>(),
    licenseAccepted: flag("license_accepted").notNull(),
    changedMs: milliseconds("changed_ms").notNull(),
  });

  /** Files of the dashboard that a node of any version has sent, for pages that are still open. */
  const webAsset = table("web_asset", {
    name: text().primaryKey(),
    type: text().notNull(),
    gzip: bytes().notNull(),
    usedMs: milliseconds("used_ms").notNull(),
  });
  return { requestedPackage, webAsset };
}
