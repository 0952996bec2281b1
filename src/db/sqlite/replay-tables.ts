/** The SQLite table of requests that clients may send again. */
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** Requests that clients may repeat without a second charge. */
export const replayableRequest = sqliteTable(
  "replayable_request",
  {
    organizationId: text("organization_id").notNull(),
    /** A digest of the API key, the path, and the Idempotency-Key or the content. */
    id: text().notNull(),
    /** A digest of the content. */
    fingerprint: text().notNull(),
    requestId: text("request_id").notNull(),
    holderId: text("holder_id").notNull(),
    isCharged: integer("is_charged", { mode: "boolean" }).notNull(),
    leaseUntil: integer("lease_until").notNull(),
    replays: integer().notNull(),
    createdAt: integer("created_at").notNull(),
    expiresAt: integer("expires_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.id] }),
    index("replayable_request_by_expiry").on(table.expiresAt),
  ],
);
