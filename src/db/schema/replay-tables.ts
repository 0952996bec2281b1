/** The table of requests that clients may send again. Times are Unix seconds. */
import type { Kit } from "./kit-sqlite.ts";

export function replayTables({ table, index, primaryKey, text, integer, seconds, flag }: Kit) {
  /** Requests that clients may repeat without a second charge. */
  const replayableRequest = table(
    "replayable_request",
    {
      organizationId: text("organization_id").notNull(),
      /** A digest of the API key, the path, and the Idempotency-Key or the content. */
      id: text().notNull(),
      /** A digest of the content. */
      fingerprint: text().notNull(),
      requestId: text("request_id").notNull(),
      holderId: text("holder_id").notNull(),
      isCharged: flag("is_charged").notNull(),
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
  return { replayableRequest };
}
