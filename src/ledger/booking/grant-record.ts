/** A grant with the fields of the API and the command line, and what was taken back of it. */
import { type Grant, isLive, type Reversal } from "./burn-down.ts";

/** `reversals`: of its organization. `now` in Unix seconds. */
export function grantRecord(grant: Grant, { now, reversals }: { now: number; reversals: Reversal[] }) {
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
    reason: grant.reason,
    reversals: reversals
      .filter(({ grantId }) => grantId === grant.id)
      .map(({ id, kind, amountMicros, overdraftMicros, reason, createdAt }) => ({
        id,
        kind,
        amount_micros: amountMicros,
        overdraft_micros: overdraftMicros,
        reason,
        created_at: createdAt,
      })),
  };
}
