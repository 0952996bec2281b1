/** What a batch of writes needs to be loaded and locked. Pure. */
import { type Account, monthOf, spanOf } from "./burn-down.ts";
import type { Name, Write } from "./store.ts";

/** What a store has to load: the accounts, the grants that have something left, and what is already booked. */
export type Wanted = {
  organizations: string[];
  /** Those, and others of which something is counted, in one order everywhere: the order their accounts are locked in. */
  locked: string[];
  events: Name[];
  /** What is charged is counted in. */
  months: { organizationId: string; month: number }[];
  grants: string[];
  reversals: string[];
  logs: Name[];
  /** Whose grants are all to be loaded, also those with nothing left. */
  voiding: string[];
};

export function wantedBy(writes: Write[]): Wanted {
  const organizations = new Set<string>();
  const locked = new Set<string>();
  const wanted: Omit<Wanted, "organizations" | "locked"> = {
    events: [],
    months: [],
    grants: [],
    reversals: [],
    logs: [],
    voiding: [],
  };
  for (const write of writes) {
    if ("forget" in write) continue;
    const organizationId = organizationOf(write);
    locked.add(organizationId);
    if ("log" in write) wanted.logs.push([organizationId, write.log.id]);
    else organizations.add(organizationId);
    if ("charge" in write) {
      wanted.events.push([organizationId, write.charge.id]);
      wanted.months.push({ organizationId, month: monthOf(write.charge.createdAt) });
      if (write.request) wanted.logs.push([organizationId, write.request.id]);
    }
    if ("void" in write) {
      wanted.events.push([organizationId, write.void.id]);
      wanted.logs.push([organizationId, write.void.requestId]);
      wanted.voiding.push(organizationId);
    }
    if ("grant" in write) wanted.grants.push(write.grant.id);
    if ("reversal" in write) {
      wanted.grants.push(write.reversal.grantId);
      wanted.reversals.push(write.reversal.id);
    }
  }
  return { ...wanted, organizations: [...organizations], locked: [...locked].sort() };
}

/**
 * The months to add up from the sums of their days, once each: of every charge that is not of its account's month. That
 * is the first one of a new month, or one by a clock that stands in another than the last one's did.
 */
export function otherMonths({ months }: Wanted, accounts: Account[]) {
  const counted = new Map(accounts.map(({ organizationId, month }) => [organizationId, month]));
  const others = new Map<string, { organizationId: string; month: number; from: number; to: number }>();
  for (const { organizationId, month } of months) {
    if ((counted.get(organizationId) ?? 0) === 0 || counted.get(organizationId) === month) continue;
    others.set(`${organizationId} ${month}`, { organizationId, month, ...spanOf(month) });
  }
  return [...others.values()];
}

function organizationOf(write: Exclude<Write, { forget: Name[] }>): string {
  if ("log" in write) return write.log.organizationId;
  if ("charge" in write) return write.charge.organizationId;
  if ("void" in write) return write.void.organizationId;
  if ("reversal" in write) return write.reversal.organizationId;
  return "grant" in write ? write.grant.organizationId : write.limit.organizationId;
}
