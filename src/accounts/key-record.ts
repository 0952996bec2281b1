/** The record of an API key, as the API has it. */
import { type Clock, unixSeconds } from "../clock.ts";
import type { Tables } from "../db/database.ts";
import { budgetPeriodAt, restrictionsRecord } from "../restrictions.ts";

export type Row = Tables["apiKey"]["$inferSelect"];

export type KeyRecord = ReturnType<typeof keyRecord>;

/** Returns the secret, once. */
export type KeyWithSecret = KeyRecord & { secret: string };

export function keyRecord(row: Row, clock: Clock) {
  const now = unixSeconds(clock);
  return {
    id: row.id,
    object: "api_key" as const,
    organization_id: row.organizationId,
    project_id: row.projectId,
    name: row.name,
    environment: row.environment,
    prefix: row.prefix,
    last4: row.last4,
    scopes: row.scopes,
    status: statusOf(row, now),
    created_at: row.createdAt,
    created_by: row.createdBy,
    service_account_id: row.serviceAccountId,
    expires_at: row.expiresAt,
    last_used_at: row.lastUsedAt,
    revoked_at: row.revokedAt,
    rotated_from: row.rotatedFrom,
    restrictions: restrictionsRecord(row.restrictions),
    budget_period: budgetPeriodAt(row.restrictions, now),
  };
}

/** Computed on read, so that keys expire without a background job. */
function statusOf({ revokedAt, expiresAt }: Row, now: number): "active" | "revoked" | "expired" {
  if (revokedAt !== null) return "revoked";
  return expiresAt !== null && expiresAt <= now ? "expired" : "active";
}
