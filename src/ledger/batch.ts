/**
 * A batch of writes between loading and saving: what every store does in the same way. Pure, but for the grants it is
 * given, which it changes.
 *
 *   writes ──wantedBy──> ids ──store loads──> found ──bookAll──> outcomes, and the changes to save      (wanted.ts)
 */
import {
  type Account,
  bookCharge,
  bookGrant,
  bookReversal,
  bookVoid,
  type Charge,
  type Grant,
  isMoney,
  monthOf,
  type NewGrant,
  type NewReversal,
  newAccount,
  type Reversal,
  type UsageEvent,
  voidEvent,
} from "./burn-down.ts";
import { rollUp, type UsageTotal } from "./rollup.ts";
import type { Name, Outcome, RequestLog, Write } from "./store.ts";

/** What an organization was charged in a month other than its account's. */
export type MonthCost = { organizationId: string; month: number; costMicros: number };

export type Found = {
  accounts: Account[];
  months: MonthCost[];
  grants: Grant[];
  events: UsageEvent[];
  reversals: Reversal[];
  logs: RequestLog[];
};

export type Changes = {
  accounts: Account[];
  /** Old ones with another rest than before. */
  burned: Grant[];
  grants: Grant[];
  events: UsageEvent[];
  /** Old ones that are taken back, as they are now. */
  voided: UsageEvent[];
  reversals: Reversal[];
  logs: RequestLog[];
  /** What comes on top of the sums. */
  totals: UsageTotal[];
  /** Logs to delete. */
  forgotten: Name[];
};

export function bookAll(found: Found, writes: Write[]): { outcomes: Outcome[]; changes: Changes } {
  const books = openBooks(found);
  const outcomes = writes.map((write) => book(books, write));
  const { accounts, burned, newGrants, newEvents, newReversals, forgotten, voided } = books;
  const events = [...newEvents.values()];
  const logs = [...books.logs.values()];
  const known = found.logs.filter((log) => books.logs.has(nameOf(log)));
  return {
    outcomes,
    changes: {
      accounts: [...accounts.values()],
      burned: [...burned].filter((grant) => !newGrants.includes(grant)),
      grants: newGrants,
      events,
      voided: voided.map(voidEvent),
      reversals: newReversals,
      logs,
      totals: rollUp({ events, voided, logs, known }),
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
  newEvents: Map<string, UsageEvent>;
  /** As they were. */
  voided: UsageEvent[];
  newReversals: Reversal[];
  /** As they were loaded. */
  known: Map<string, RequestLog>;
  logs: Map<string, RequestLog>;
  forgotten: Name[];
};

function openBooks({ accounts, months, events, reversals, logs, ...found }: Found): Books {
  const grants = new Map(found.grants.map((grant) => [grant.id, grant])); // some are asked for twice
  return {
    accounts: new Map(accounts.map((account) => [account.organizationId, account])),
    months: new Map(
      months.map(({ organizationId, month, costMicros }) => [`${organizationId} ${month}`, costMicros]),
    ),
    open: Map.groupBy(grants.values(), ({ organizationId }) => organizationId),
    grants,
    events: new Map(events.map((event) => [nameOf(event), event])),
    reversals: new Map(reversals.map((reversal) => [reversal.id, reversal])),
    burned: new Set(),
    newGrants: [],
    newEvents: new Map(),
    voided: [],
    newReversals: [],
    known: new Map(logs.map((log) => [nameOf(log), log])),
    logs: new Map(),
    forgotten: [],
  };
}

function book(books: Books, write: Write): Outcome {
  if (!isMoney(microsOf(write))) return { error: `${microsOf(write)} micros are no amount of money` };
  if ("log" in write) {
    noteRequest(books, write.log, 0);
    return { done: true };
  }
  if ("forget" in write) {
    books.forgotten.push(...write.forget);
    return { done: true };
  }
  if ("grant" in write) return give(books, write.grant);
  if ("charge" in write) return charge(books, write.charge, write.request);
  if ("void" in write) return takeBack(books, write.void);
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

function charge(books: Books, wanted: Charge, request: RequestLog | undefined): Outcome {
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
  books.newEvents.set(nameOf(event), event);
  if (request) noteRequest(books, request, event.costMicros);
  return { event };
}

/** Where the charge was never booked, an event of nothing is, so that it cannot be any more. */
function takeBack(books: Books, wanted: Charge): Outcome {
  const name = nameOf(wanted);
  const event = books.events.get(name);
  const isNew = books.newEvents.has(name);
  if (event && event.costMicros === 0 && event.quantity === 0) return { done: true };
  if (event) {
    const grants = openIn(books, wanted.organizationId);
    const account = accountIn(books, wanted.organizationId);
    books.accounts.set(wanted.organizationId, bookVoid(account, grants, event));
    if (account.month !== event.month) uncount(books, event);
    for (const grant of grants) books.burned.add(grant);
    if (!isNew) books.voided.push(event);
    unnote(books, event);
  }
  books.events.set(name, voidEvent(wanted));
  if (!event || isNew) books.newEvents.set(name, voidEvent(wanted));
  return { done: true };
}

/** The last word on a request is the one that counts, but for its cost, which is what it was charged. */
function noteRequest(books: Books, log: RequestLog, chargedMicros: number): void {
  const before = books.logs.get(nameOf(log)) ?? books.known.get(nameOf(log));
  const costMicros = before ? before.costMicros + chargedMicros : log.costMicros;
  books.logs.set(nameOf(log), { ...log, costMicros });
}

/** Of a month that was added up for another charge of this batch. */
function uncount({ months }: Books, { organizationId, month, costMicros }: UsageEvent): void {
  const name = `${organizationId} ${month}`;
  const before = months.get(name);
  if (before !== undefined) months.set(name, before - costMicros);
}

function unnote(books: Books, { organizationId, requestId, costMicros }: UsageEvent): void {
  const name = nameOf({ organizationId, id: requestId });
  const log = books.logs.get(name) ?? books.known.get(name);
  if (log) books.logs.set(name, { ...log, costMicros: log.costMicros - costMicros });
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

function microsOf(write: Write): number {
  if ("charge" in write) return write.charge.costMicros;
  if ("grant" in write) return write.grant.amountMicros;
  if ("reversal" in write) return write.reversal.amountMicros;
  return "limit" in write ? (write.limit.micros ?? 0) : 0;
}
