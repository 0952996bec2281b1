/** The SQLite tables of `postgres/cluster-tables.ts`. Those of nodes stay empty: one server uses an embedded database. */
import { blob, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const node = sqliteTable("node", {
  id: text().primaryKey(),
  address: text().notNull(),
  version: text().notNull(),
  startedMs: integer("started_ms").notNull(),
  seenMs: integer("seen_ms").notNull(),
  skewMs: integer("skew_ms").notNull(),
  draining: integer({ mode: "boolean" }).notNull(),
  report: text({ mode: "json" }).$type<object>().notNull(),
});

export const nodeMinute = sqliteTable(
  "node_minute",
  {
    node: text().notNull(),
    startedMs: integer("started_ms").notNull(),
    start: integer().notNull(),
    succeeded: integer().notNull(),
    refused: integer().notNull(),
    failed: integer().notNull(),
    sessions: integer().notNull(),
    waited: integer().notNull(),
    waits: text({ mode: "json" }).$type<number[]>().notNull(),
  },
  ({ node, startedMs, start }) => [primaryKey({ columns: [node, startedMs, start] })],
);

/** What every node should have installed, or should no longer have. */
export const requestedPackage = sqliteTable("requested_package", {
  name: text().primaryKey(),
  /** Precisions by name; "": the one that suits the machine. Null: to be removed where it was installed before. */
  variants: text({ mode: "json" }).$type<string[]>(),
  licenseAccepted: integer("license_accepted", { mode: "boolean" }).notNull(),
  changedMs: integer("changed_ms").notNull(),
});

/** Files of the dashboard that a node of any version has sent, for pages that are still open. */
export const webAsset = sqliteTable("web_asset", {
  name: text().primaryKey(),
  type: text().notNull(),
  gzip: blob({ mode: "buffer" }).notNull(),
  usedMs: integer("used_ms").notNull(),
});
