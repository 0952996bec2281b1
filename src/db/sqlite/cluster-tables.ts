/** The SQLite tables of nodes. They stay empty: one server uses an embedded database. */
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

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
