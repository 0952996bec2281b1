/** The PostgreSQL tables of nodes that share a database. Times are Unix milliseconds, by the clock of the database. */
import { bigint, boolean, jsonb, pgTable, text } from "drizzle-orm/pg-core";

const milliseconds = (name: string) => bigint(name, { mode: "number" });

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
