/** Which rows a batch of writes needs loaded and locked. Pure. */
import { type Account, monthOf, spanOf } from "./burn-down.ts";
import { type NewRefund, refundIdOf } from "./refund.ts";
import type { Name, Write } from "./write.ts";

/** Rows to load: accounts, live grants, and rows that already exist under the batch's ids. */
export type RowIds = {
  organizations: string[];
  /** These organizations and others that are only counted, in a fixed order, in which accounts are locked. */
  locked: string[];
  events: Name[];
  /** The months of the batch's charges. */
  months: { organizationId: string; month: number }[];
  grants: string[];
  reversals: string[];
  /** Grants of which all reversals are loaded. */
  corrected: string[];
  logs: Name[];
  /** Of requests that may be repeated. */
  replayables: Name[];
  /** Organizations of which all grants are loaded, including used-up ones. */
  voiding: string[];
  /** Organizations, projects and keys that are charged: what alerts may watch. */
  subjects: string[];
};

export function rowIdsOf(writes: Write[]): RowIds {
  const organizations = new Set<string>();
  const locked = new Set<string>();
  const subjects = new Set<string>();
  const ids: Omit<RowIds, "organizations" | "locked" | "subjects"> = {
    events: [],
    months: [],
    grants: [],
    reversals: [],
    corrected: [],
    logs: [],
    replayables: [],
    voiding: [],
  };
  for (const write of writes) {
    if ("forget" in write || "trim" in write) continue;
    const organizationId = organizationOf(write);
    locked.add(organizationId);
    const replayable = replayableOf(write);
    if (replayable) ids.replayables.push([organizationId, replayable.id]);
    if ("end" in write || "claim" in write || "renew" in write) continue;
    if ("settle" in write || "abandon" in write) continue;
    if ("log" in write) ids.logs.push([organizationId, write.log.id]);
    else organizations.add(organizationId);
    if ("charge" in write) {
      for (const id of [organizationId, write.charge.projectId, write.charge.keyId]) subjects.add(id);
      ids.events.push([organizationId, write.charge.id]);
      ids.months.push({ organizationId, month: monthOf(write.charge.createdAt) });
      if (write.request) ids.logs.push([organizationId, write.request.id]);
    }
    if ("void" in write) returnOf(ids, { ...write.void, chargeId: write.void.id });
    if ("refund" in write) returnOf(ids, write.refund);
    if ("grant" in write) ids.grants.push(write.grant.id);
    if ("reversal" in write) {
      ids.grants.push(write.reversal.grantId);
      ids.reversals.push(write.reversal.id);
      if (write.reversal.kind === "correction") ids.corrected.push(write.reversal.grantId);
    }
  }
  return {
    ...ids,
    organizations: [...organizations],
    locked: [...locked].sort(),
    subjects: [...subjects],
  };
}

/** A charge that is voided or refunded, with its refund if there is one. */
function returnOf(
  { events, logs, voiding }: Pick<RowIds, "events" | "logs" | "voiding">,
  { organizationId, requestId, chargeId }: Pick<NewRefund, "organizationId" | "requestId" | "chargeId">,
): void {
  events.push([organizationId, chargeId], [organizationId, refundIdOf(chargeId)]);
  logs.push([organizationId, requestId]);
  voiding.push(organizationId);
}

/**
 * The months to sum from days, for charges that do not belong to their account's month: the first charge of a new
 * month, or one from a node whose clock is in another month.
 */
export function otherMonths({ months }: RowIds, accounts: Account[]) {
  const counted = new Map(accounts.map(({ organizationId, month }) => [organizationId, month]));
  const others = new Map<string, { organizationId: string; month: number; from: number; to: number }>();
  for (const { organizationId, month } of months) {
    if ((counted.get(organizationId) ?? 0) === 0 || counted.get(organizationId) === month) continue;
    others.set(`${organizationId} ${month}`, { organizationId, month, ...spanOf(month) });
  }
  return [...others.values()];
}

function replayableOf(write: Write): { id: string } | undefined {
  if ("claim" in write) return write.claim;
  if ("renew" in write) return write.renew;
  if ("settle" in write) return write.settle;
  if ("abandon" in write) return write.abandon;
  return "replayable" in write ? write.replayable : undefined;
}

function organizationOf(write: Exclude<Write, { forget: Name[] } | { trim: number }>): string {
  if ("claim" in write) return write.claim.organizationId;
  if ("renew" in write) return write.renew.organizationId;
  if ("settle" in write) return write.settle.organizationId;
  if ("abandon" in write) return write.abandon.organizationId;
  if ("log" in write) return write.log.organizationId;
  if ("end" in write) return write.end.organizationId;
  if ("charge" in write) return write.charge.organizationId;
  if ("void" in write) return write.void.organizationId;
  if ("refund" in write) return write.refund.organizationId;
  if ("reversal" in write) return write.reversal.organizationId;
  if ("grant" in write) return write.grant.organizationId;
  return "limit" in write ? write.limit.organizationId : write.balanceAlert.organizationId;
}
