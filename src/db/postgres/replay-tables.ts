/** The PostgreSQL table of requests that clients may send again. Times are Unix seconds. */
import { bigint, boolean, index, integer, pgTable, primaryKey, text } from "drizzle-orm/pg-core";

const seconds = (name: string) => bigint(name, { mode: "number" });

/** Requests that clients may repeat without a second charge. */
export const replayableRequest = pgTable(
  "replayable_request",
  {
    organizationId: text("organization_id").notNull(),
    /** A digest of the API key, the path, and the Idempotency-Key or the content. */
    id: text().notNull(),
    /** A digest of the content. */
    fingerprint: text().notNull(),
    requestId: text("request_id").notNull(),
    holderId: text("holder_id").notNull(),
    isCharged: boolean("is_charged").notNull(),
    leaseUntil: seconds("lease_until").notNull(),
    replays: integer().notNull(),
    createdAt: seconds("created_at").notNull(),
    expiresAt: seconds("expires_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.id] }),
    index("replayable_request_by_expiry").on(table.expiresAt),
  ],
);
