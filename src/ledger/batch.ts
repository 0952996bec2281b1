/**
 * A batch of writes between loading and saving: what every store does in the same way. Pure, but for the grants it is
 * given, which it changes.
 *
 *   writes ──wantedBy──> ids ──store loads──> found ──bookAll──> outcomes, and the changes to save
 */
import {
  type Account,
  bookCharge,
  bookGrant,
  bookReversal,
  type Charge,
  type Grant,
  isMoney,
  monthOf,
  type NewGrant,
  type NewReversal,
  newAccount,
  type Reversal,
  spanOf,
  type UsageEvent,
} from "./book.ts";
import type { Outcome, RequestLog, Write } from "./ledger.ts";
import { type Counted, rollUp, type UsageTotal } from "./rollup.ts";

/** What names a row of an organization. */
export type Name = [organizationId: string, id: string];

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
};

/** What an organization was charged in a month other than its account's. */
export type MonthCost = { organizationId: string; month: number; costMicros: number };

export type Found = {
  accounts: Account[];
  months: MonthCost[];
  grants: Grant[];
  events: UsageEvent[];
  reversals: Reversal[];
  logs: Counted[];
};

export type Changes = {
  accounts: Account[];
  /** Old ones with less left than before. */
  burned: Grant[];
  grants: Grant[];
  events: UsageEvent[];
  reversals: Reversal[];
  logs: RequestLog[];
  /** What comes on top of the sums. */
  totals: UsageTotal[];
  /** Logs to delete. */
  forgotten: Name[];
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

export function bookAll(found: Found, writes: Write[]): { outcomes: Outcome[]; changes: Changes } {
  const books = openBooks(found);
  const outcomes = writes.map((write) => book(books, write));
  const { accounts, burned, newGrants, newEvents, newReversals, logs, forgotten } = books;
  return {
    outcomes,
    changes: {
      accounts: [...accounts.values()],
      burned: [...burned].filter((grant) => !newGrants.includes(grant)),
      grants: newGrants,
      events: newEvents,
      reversals: newReversals,
      logs: [...logs.values()],
      totals: rollUp(newEvents, [...logs.values()], found.logs),
      forgotten,
    },
  };
}

type Books = {
  accounts: Map<string, Account>;
  /** What each month that is not its account's has cost. */
  months: Map<string, number>;
  /** Of each organization. */
  open: Map<string, Grant[]>;
  grants: Map<string, Grant>;
  events: Map<string, UsageEvent>;
  reversals: Map<string, Reversal>;
  burned: Set<Grant>;
  newGrants: Grant[];
  newEvents: UsageEvent[];
  newReversals: Reversal[];
  logs: Map<string, RequestLog>;
  forgotten: Name[];
};

const openBooks = ({ accounts, months, grants, events, reversals }: Found): Books => ({
  accounts: new Map(accounts.map((account) => [account.organizationId, account])),
  months: new Map(
    months.map(({ organizationId, month, costMicros }) => [`${organizationId} ${month}`, costMicros]),
  ),
  open: Map.groupBy(grants, ({ organizationId }) => organizationId),
  grants: new Map(grants.map((grant) => [grant.id, grant])),
  events: new Map(events.map((event) => [nameOf(event), event])),
  reversals: new Map(reversals.map((reversal) => [reversal.id, reversal])),
  burned: new Set(),
  newGrants: [],
  newEvents: [],
  newReversals: [],
  logs: new Map(),
  forgotten: [],
});

function book(books: Books, write: Write): Outcome {
  if (!isMoney(microsOf(write))) return { error: `${microsOf(write)} micros are no amount of money` };
  if ("log" in write) {
    books.logs.set(nameOf(write.log), write.log); // the last word on a request is the one that counts
    return { done: true };
  }
  if ("forget" in write) {
    books.forgotten.push(...write.forget);
    return { done: true };
  }
  if ("grant" in write) return give(books, write.grant);
  if ("charge" in write) return charge(books, write.charge);
  if ("reversal" in write) return reverse(books, write.reversal);
  const { organizationId, micros } = write.limit;
  books.accounts.set(organizationId, { ...accountIn(books, organizationId), monthlyLimitMicros: micros });
  return { done: true };
}

function give(books: Books, wanted: NewGrant): Outcome {
  const { id, organizationId } = wanted;
  const known = books.grants.get(id);
  if (known) return { grant: known };
  const { grant, account } = bookGrant(accountIn(books, organizationId), wanted);
  books.accounts.set(organizationId, account);
  books.open.set(organizationId, [...openIn(books, organizationId), grant]);
  books.grants.set(id, grant);
  books.newGrants.push(grant);
  return { grant: { ...grant } };
}

function charge(books: Books, wanted: Charge): Outcome {
  const { organizationId } = wanted;
  const known = books.events.get(nameOf(wanted));
  if (known) return { event: known };
  if (!(wanted.quantity >= 0)) return { error: `a quantity of ${wanted.quantity} cannot be charged` };
  const { event, account } = bookCharge(
    accountAt(books, organizationId, monthOf(wanted.createdAt)),
    openIn(books, organizationId),
    wanted,
  );
  books.accounts.set(organizationId, account);
  noteBurns(books, event);
  books.events.set(nameOf(event), event);
  books.newEvents.push(event);
  return { event };
}

function reverse(books: Books, wanted: NewReversal): Outcome {
  const { id, organizationId, grantId } = wanted;
  const known = books.reversals.get(id);
  if (known) return { reversal: known };
  const taken = books.grants.get(grantId);
  if (taken?.organizationId !== organizationId) return { error: `${organizationId} has no grant ${grantId}` };
  const grants = { taken, others: openIn(books, organizationId) };
  const { reversal, account } = bookReversal(accountIn(books, organizationId), grants, wanted);
  books.accounts.set(organizationId, account);
  noteBurns(books, reversal);
  books.reversals.set(id, reversal);
  books.newReversals.push(reversal);
  return { reversal };
}

const accountIn = ({ accounts }: Books, organizationId: string): Account =>
  accounts.get(organizationId) ?? newAccount(organizationId);

/** The account as it counts that month. */
function accountAt(books: Books, organizationId: string, month: number): Account {
  const account = accountIn(books, organizationId);
  if (account.month === month) return account;
  books.months.set(`${organizationId} ${account.month}`, account.monthMicros);
  return { ...account, month, monthMicros: books.months.get(`${organizationId} ${month}`) ?? 0 };
}

const openIn = ({ open }: Books, organizationId: string): Grant[] => open.get(organizationId) ?? [];

function noteBurns({ grants, burned }: Books, { burns }: Pick<UsageEvent, "burns">): void {
  for (const [id] of burns) burned.add(grants.get(id)!);
}

const nameOf = ({ organizationId, id }: { organizationId: string; id: string }) => `${organizationId} ${id}`;

function organizationOf(write: Exclude<Write, { forget: Name[] }>): string {
  if ("log" in write) return write.log.organizationId;
  if ("charge" in write) return write.charge.organizationId;
  if ("reversal" in write) return write.reversal.organizationId;
  return "grant" in write ? write.grant.organizationId : write.limit.organizationId;
}

function microsOf(write: Write): number {
  if ("charge" in write) return write.charge.costMicros;
  if ("grant" in write) return write.grant.amountMicros;
  if ("reversal" in write) return write.reversal.amountMicros;
  return "limit" in write ? (write.limit.micros ?? 0) : 0;
}
