/** The arithmetic of credit: which grants pay for a charge or a reversal, and how overdraft is paid off. Pure; see README.md. */

import type { Unit } from "../../charged-units.ts";
import type { Plan } from "../../plans.ts";

/** Times are Unix seconds, money is micros. `expiresAt` null: never. */
export type Grant = {
  id: string;
  organizationId: string;
  kind: "starting" | "purchase" | "adjustment" | "voucher";
  amountMicros: number;
  settledMicros: number;
  remainingMicros: number;
  createdAt: number;
  expiresAt: number | null;
  topUpId: string | null;
  /** Why an operator gave it, as its organization reads it. */
  reason: string | null;
};

export type Account = {
  organizationId: string;
  overdraftMicros: number;
  /** The month of the last charge, as 202611; 0 before the first. */
  month: number;
  /** The cost of that month. */
  monthMicros: number;
  /** The part of it that was not deducted. */
  monthUnmeteredMicros: number;
  /** Null: no limit. */
  monthlyLimitMicros: number | null;
  purchasedMicros: number;
  /** The balance of which owners want to be told; null: of none. */
  balanceAlertMicros: number | null;
  /** When it fell below; null: it is not below, or that is not told yet. */
  balanceAlertedAt: number | null;
};

/** Work and its cost. Idempotent by id. `plan`: what its request was admitted under; an unmetered one is not deducted. */
export type Charge = {
  id: string;
  plan: Plan;
  organizationId: string;
  projectId: string;
  keyId: string;
  environment: "live" | "test";
  requestId: string;
  endpoint: string;
  model: string;
  unit: Unit;
  quantity: number;
  /** The price of a million units. */
  priceMicros: number;
  costMicros: number;
  createdAt: number;
  /** The budgets that it counts toward, whatever its plan is. */
  budgets?: BudgetPeriod[] | null;
};

/** The period of a budget: whose it is, and when it began. */
export type BudgetPeriod = [subject: string, start: number];

export type UsageEvent = Charge & {
  overdraftMicros: number;
  burns: [grantId: string, micros: number][];
  month: number;
};

/** Credit that a refund, a dispute or an operator's correction takes back from a grant. Idempotent by id. */
export type NewReversal = {
  id: string;
  organizationId: string;
  grantId: string;
  kind: "refund" | "dispute" | "correction";
  amountMicros: number;
  createdAt: number;
  /** Why an operator took it back, as its organization reads it. */
  reason?: string | null;
};

export type Reversal = NewReversal & {
  overdraftMicros: number;
  burns: UsageEvent["burns"];
  reason: string | null;
};

export type NewGrant = Pick<
  Grant,
  "id" | "organizationId" | "kind" | "amountMicros" | "createdAt" | "expiresAt" | "topUpId"
> &
  Partial<Pick<Grant, "reason">>;

/** What a month's charges cost, and the part that was not deducted. */
export type MonthSums = { costMicros: number; unmeteredMicros: number };

const MONTHLY_LIMIT_MICROS = 100_000_000;

/** The initial account of an organization. */
export function newAccount(organizationId: string): Account {
  return {
    organizationId,
    overdraftMicros: 0,
    month: 0,
    monthMicros: 0,
    monthUnmeteredMicros: 0,
    monthlyLimitMicros: MONTHLY_LIMIT_MICROS,
    purchasedMicros: 0,
    balanceAlertMicros: null,
    balanceAlertedAt: null,
  };
}

const STARTING_MICROS = 5_000_000;
const STARTING_SECONDS = 30 * 86_400;

/** Its id is derived from the organization's, so that it is granted once. */
export function startingGrant(organizationId: string, createdAt: number): NewGrant {
  return {
    id: organizationId.replace(/^org_/, "grant_"),
    organizationId,
    kind: "starting",
    amountMicros: STARTING_MICROS,
    createdAt,
    expiresAt: createdAt + STARTING_SECONDS,
    topUpId: null,
  };
}

/** Whether it has a remaining amount and has not expired. */
export const isLive = ({ remainingMicros, expiresAt }: Grant, now: number): boolean =>
  remainingMicros > 0 && (expiresAt === null || expiresAt > now);

/** Soonest-expiring first, never-expiring last, then oldest first. */
function byBurnOrder(a: Grant, b: Grant): number {
  const expiry = (a.expiresAt ?? Number.MAX_SAFE_INTEGER) - (b.expiresAt ?? Number.MAX_SAFE_INTEGER);
  return expiry || a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1);
}

/** Amounts are whole micros and never negative. */
export const isMoney = (micros: number): boolean => Number.isSafeInteger(micros) && micros >= 0;

/** Burns a charge from `grants`, which are changed, and returns the event and the updated account. */
export function bookCharge(account: Account, grants: Grant[], charge: Charge) {
  if (!isMoney(charge.costMicros)) throw new RangeError(`${charge.costMicros} micros cannot be charged`);
  const unmetered = unmeteredOf(charge);
  const { burns, owed } = burn(inBurnOrder(grants, charge.createdAt), charge.costMicros - unmetered);
  const paid = { overdraftMicros: owed, burns, month: monthOf(charge.createdAt) };
  const event: UsageEvent = { ...charge, ...paid, budgets: charge.budgets ?? null };
  const booked = {
    ...account,
    overdraftMicros: account.overdraftMicros + owed,
    monthMicros: account.monthMicros + charge.costMicros,
    monthUnmeteredMicros: account.monthUnmeteredMicros + unmetered,
  };
  return { event, account: booked };
}

/** The part of a charge's cost that is not deducted: all or nothing. */
export const unmeteredOf = ({ plan, costMicros }: Pick<Charge, "plan" | "costMicros">): number =>
  plan === "unmetered" ? costMicros : 0;

/** Takes credit back from its grant, even an expired one, then from other grants as a charge does. */
export function bookReversal(
  account: Account,
  { taken, others }: { taken: Grant; others: Grant[] },
  input: NewReversal,
) {
  const rest = others.filter((grant) => grant !== taken);
  const { burns, owed } = burn([taken, ...inBurnOrder(rest, input.createdAt)], input.amountMicros);
  const reversal: Reversal = { reason: null, ...input, overdraftMicros: owed, burns };
  const isReturned = taken.kind === "purchase" && input.kind !== "correction"; // what was corrected stays paid
  const bought = isReturned ? input.amountMicros : 0;
  const booked = {
    ...account,
    overdraftMicros: account.overdraftMicros + owed,
    purchasedMicros: Math.max(0, account.purchasedMicros - bought),
  };
  return { reversal, account: booked };
}

/** What a reversal can take without overdraft. */
export const creditFrom = (taken: Grant, { others, now }: { others: Grant[]; now: number }): number =>
  [taken, ...inBurnOrder(others, now).filter((grant) => grant !== taken)].reduce(
    (sum, { remainingMicros }) => sum + remainingMicros,
    0,
  );

/** An empty event that keeps a voided charge's id from being applied again. */
export const voidEvent = (charge: Charge): UsageEvent => ({
  ...charge,
  budgets: charge.budgets ?? null,
  quantity: 0,
  costMicros: 0,
  overdraftMicros: 0,
  burns: [],
  month: monthOf(charge.createdAt),
});

/**
 * Voids a charge as if it had never been applied: returns its burns to its grants, which are changed. Overdraft that
 * later grants had paid off is returned to them, newest first; the returned credit pays off the remaining overdraft.
 */
export function bookVoid(account: Account, grants: Grant[], event: UsageEvent): Account {
  const uncounted = account.month === event.month ? without(account, event) : account;
  if (event.plan === "unmetered") return uncounted;
  for (const [id, micros] of event.burns) {
    grants.find((grant) => grant.id === id)!.remainingMicros += micros;
  }
  let owed = account.overdraftMicros - event.overdraftMicros;
  for (const grant of grants.toSorted(byAge)) {
    const returned = Math.min(Math.max(0, -owed), grant.settledMicros);
    addSettled(grant, -returned);
    owed += returned;
  }
  for (const grant of inBurnOrder(grants, event.createdAt)) {
    const pays = Math.min(owed, grant.remainingMicros);
    addSettled(grant, pays);
    owed -= pays;
  }
  return { ...uncounted, overdraftMicros: owed };
}

/** The account without the event in its month. */
const without = (account: Account, event: UsageEvent): Account => ({
  ...account,
  monthMicros: account.monthMicros - event.costMicros,
  monthUnmeteredMicros: account.monthUnmeteredMicros - unmeteredOf(event),
});

/** The newest first. */
const byAge = (a: Grant, b: Grant): number => b.createdAt - a.createdAt || (a.id > b.id ? -1 : 1);

function addSettled(grant: Grant, micros: number): void {
  grant.settledMicros += micros;
  grant.remainingMicros -= micros;
}

export const inBurnOrder = (grants: Grant[], now: number): Grant[] =>
  grants.filter((grant) => isLive(grant, now)).sort(byBurnOrder);

/** Burns from one grant after the other, which are changed; `owed` is what they did not cover. */
function burn(grants: Grant[], micros: number): { burns: UsageEvent["burns"]; owed: number } {
  const burns: UsageEvent["burns"] = [];
  let owed = micros;
  for (const grant of grants) {
    if (owed === 0) break;
    const taken = Math.min(owed, grant.remainingMicros);
    if (taken === 0) continue;
    grant.remainingMicros -= taken;
    owed -= taken;
    burns.push([grant.id, taken]);
  }
  return { burns, owed };
}

/** A new grant after paying off the overdraft. */
export function bookGrant(account: Account, { ...grant }: NewGrant): { grant: Grant; account: Account } {
  const settledMicros = Math.min(account.overdraftMicros, grant.amountMicros);
  return {
    grant: { reason: null, ...grant, settledMicros, remainingMicros: grant.amountMicros - settledMicros },
    account: {
      ...account,
      overdraftMicros: account.overdraftMicros - settledMicros,
      purchasedMicros: account.purchasedMicros + (grant.kind === "purchase" ? grant.amountMicros : 0),
    },
  };
}

/** The calendar month, UTC, as 202611. */
export function monthOf(unixSeconds: number): number {
  const date = new Date(unixSeconds * 1000);
  return date.getUTCFullYear() * 100 + date.getUTCMonth() + 1;
}

/** The start and end of a month, as 202611, in Unix seconds. */
export function spanOf(month: number): { from: number; to: number } {
  const [year, monthIndex] = [Math.floor(month / 100), (month % 100) - 1];
  return { from: Date.UTC(year, monthIndex) / 1000, to: Date.UTC(year, monthIndex + 1) / 1000 };
}

/** The cost of a quantity at a price per million units, rounded up to whole micros after removing floating-point error. */
export function costOf(quantity: number, priceMicros: number): number {
  return Math.ceil(Number(((quantity * priceMicros) / 1e6).toFixed(6)));
}
