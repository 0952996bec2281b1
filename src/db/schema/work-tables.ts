/** The tables of events, and of work that is done at least once. */
import { sql } from "drizzle-orm";
import type { Kit } from "./kit-sqlite.ts";

export function workTables({ table, index, text, integer, milliseconds }: Kit) {
  /** What is to be done once it is due, by whichever node claims it. Times are Unix milliseconds. */
  const work = table(
    "work",
    {
      /** Of the mail, delivery or job that it is. */
      id: text().primaryKey(),
      kind: text().notNull(),
      /** Rows of one kind and group are done a few at a time; "": without such a limit. */
      group: text("group_id").notNull().default(""),
      dueMs: milliseconds("due_ms").notNull(),
      /** When it is deleted, done or not; null: never. */
      expiresMs: milliseconds("expires_ms"),
      /** The process that does it. */
      leaseNode: text("lease_node"),
      /** 0: it was given back, or never claimed. */
      leaseUntilMs: milliseconds("lease_until_ms").notNull().default(0),
      /** That were begun. */
      attempts: integer().notNull().default(0),
      payload: text().notNull(),
    },
    (table) => [
      index("work_due").on(table.kind, table.dueMs),
      index("work_leased").on(table.kind, table.group).where(sql`lease_until_ms > 0`),
      index("work_expiring").on(table.expiresMs).where(sql`expires_ms is not null`),
    ],
  );
  return { work };
}

export function eventTables({ table, index, text, seconds }: Kit) {
  /** What has happened, written in the transaction that made it happen. */
  const event = table(
    "event",
    {
      id: text().primaryKey(),
      type: text().notNull(),
      /** Null: it is of the server as a whole. */
      organizationId: text("organization_id"),
      projectId: text("project_id"),
      /** An object of ids, codes and numbers as JSON, at most 4 KB. */
      data: text().notNull(),
      createdAt: seconds("created_at").notNull(),
    },
    (table) => [
      index("event_by_time").on(table.createdAt),
      index("event_by_organization").on(table.organizationId, table.id),
    ],
  );
  return { event };
}
