/** The PostgreSQL tables of nodes that share a database. Times are Unix milliseconds; those of nodes by the database's clock. */
import { bigint, boolean, customType, integer, jsonb, pgTable, primaryKey, text } from "drizzle-orm/pg-core";

const milliseconds = (name: string) => bigint(name, { mode: "number" });

const bytes = customType<{ data: Buffer }>({ dataType: () => "bytea" });

/** A running server, which writes its row again every two seconds. */
export const node = pgTable("node", {
  id: text().primaryKey(),
  /** Where it listens, such as http://10.0.0.5:8080. */
  address: text().notNull(),
  version: text().notNull(),
  /** When its process started, by its own clock: of two processes with one id, the later one keeps the row. */
  startedMs: milliseconds("started_ms").notNull(),
  seenMs: milliseconds("seen_ms").notNull(),
  /** By how much its clock is ahead of the database's. */
  skewMs: milliseconds("skew_ms").notNull(),
  draining: boolean().notNull(),
  /** Load, packages and devices, as its version reports them. */
  report: jsonb().$type<object>().notNull(),
});

/** What a process of a node served in one minute of the last hour. */
export const nodeMinute = pgTable(
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
    waits: jsonb().$type<number[]>().notNull(),
  },
  ({ node, startedMs, start }) => [primaryKey({ columns: [node, startedMs, start] })],
);

/** What every node should have installed, or should no longer have. */
export const requestedPackage = pgTable("requested_package", {
  name: text().primaryKey(),
  /** Null: to be removed where it was installed before. */
  variants: jsonb().$type<string[]>(),
  licenseAccepted: boolean("license_accepted").notNull(),
  changedMs: milliseconds("changed_ms").notNull(),
});

/** Files of the dashboard that a node of any version has sent, for pages that are still open. */
export const webAsset = pgTable("web_asset", {
  name: text().primaryKey(),
  type: text().notNull(),
  gzip: bytes().notNull(),
  usedMs: milliseconds("used_ms").notNull(),
});

/** The limits of organizations, where they are counted in PostgreSQL. Unlogged: a crash empties it. */
export const limitLevel = pgTable("limit_level", {
  organizationId: text("organization_id").primaryKey(),
  buckets: jsonb().$type<object>().notNull(),
  slots: jsonb().$type<object>().notNull(),
});
