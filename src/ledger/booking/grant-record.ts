/** A grant with the fields of the API and the command line. */
import { type Grant, isLive } from "./burn-down.ts";

export function grantRecord(grant: Grant, now: number) {
  const status = grant.remainingMicros === 0 ? "depleted" : isLive(grant, now) ? "active" : "expired";
  return {
    id: grant.id,
    object: "credit_grant" as const,
    kind: grant.kind,
    amount_micros: grant.amountMicros,
    remaining_micros: grant.remainingMicros,
    created_at: grant.createdAt,
    expires_at: grant.expiresAt,
    status: status as "active" | "depleted" | "expired",
    top_up_id: grant.topUpId,
  };
}
