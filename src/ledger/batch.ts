/**
 * A batch of writes between loading and saving: what every store does in the same way. Pure, but for the grants it is
 * given, which it changes.
 *
 *   writes ──wantedBy──> ids ──store loads──> found ──bookAll──> outcomes, and the changes to save
 */
import { type Account, bookCharge, bookGrant, type Grant, newAccount, type UsageEvent } from "./book.ts";
import type { Outcome, RequestLog, Write } from "./ledger.ts";

/** What a store has to load: the accounts, the grants that have something left, and what is already booked. */
export type Wanted = {
  organizations: string[];
  events: [organizationId: string, id: string][];
  grants: string[];
};

export type Found = { accounts: Account[]; grants: Grant[]; events: UsageEvent[] };

export type Changes = {
  accounts: Account[];
  /** Old ones with less left than before. */
  burned: Grant[];
  grants: Grant[];
  events: UsageEvent[];
  logs: RequestLog[];
};

/** Organizations in one order everywhere, which is the order their accounts are locked in. */
export function wantedBy(writes: Write[]): Wanted {
  const organizations = new Set<string>();
  const events: Wanted["events"] = [];
  const grants: string[] = [];
  for (const write of writes) {
    if ("log" in write) continue;
    organizations.add(organizationOf(write));
    if ("charge" in write) events.push([write.charge.organizationId, write.charge.id]);
    if ("grant" in write) grants.push(write.grant.id);
  }
  return { organizations: [...organizations].sort(), events, grants };
}

export function bookAll(found: Found, writes: Write[]): { outcomes: Outcome[]; changes: Changes } {
  const books = openBooks(found);
  const outcomes = writes.map((write) => book(books, write));
  const { accounts, burned, newGrants, newEvents, logs } = books;
  return {
    outcomes,
    changes: {
      accounts: [...accounts.values()],
      burned: [...burned].filter((grant) => !newGrants.includes(grant)),
      grants: newGrants,
      events: newEvents,
      logs: [...logs.values()],
    },
  };
}

type Books = {
  accounts: Map<string, Account>;
  /** Of each organization. */
  open: Map<string, Grant[]>;
  grants: Map<string, Grant>;
  events: Map<string, UsageEvent>;
  burned: Set<Grant>;
  newGrants: Grant[];
  newEvents: UsageEvent[];
  logs: Map<string, RequestLog>;
};

const openBooks = ({ accounts, grants, events }: Found): Books => ({
  accounts: new Map(accounts.map((account) => [account.organizationId, account])),
  open: Map.groupBy(grants, ({ organizationId }) => organizationId),
  grants: new Map(grants.map((grant) => [grant.id, grant])),
  events: new Map(events.map((event) => [nameOf(event), event])),
  burned: new Set(),
  newGrants: [],
  newEvents: [],
  logs: new Map(),
});

function book(books: Books, write: Write): Outcome {
  if ("log" in write) {
    books.logs.set(nameOf(write.log), write.log); // the last word on a request is the one that counts
    return { done: true };
  }
  const organizationId = organizationOf(write);
  const account = books.accounts.get(organizationId) ?? newAccount(organizationId);
  const keep = (changed: Account) => books.accounts.set(organizationId, changed);
  if ("limit" in write) {
    keep({ ...account, monthlyLimitMicros: write.limit.micros });
    return { done: true };
  }
  const open = books.open.get(organizationId) ?? [];
  if ("grant" in write) {
    const known = books.grants.get(write.grant.id);
    if (known) return { grant: known };
    const booked = bookGrant(account, write.grant);
    keep(booked.account);
    books.open.set(organizationId, [...open, booked.grant]);
    books.grants.set(booked.grant.id, booked.grant);
    books.newGrants.push(booked.grant);
    return { grant: { ...booked.grant } };
  }
  const known = books.events.get(nameOf(write.charge));
  if (known) return { event: known };
  const booked = bookCharge(account, open, write.charge);
  keep(booked.account);
  for (const [id] of booked.event.burns) books.burned.add(books.grants.get(id)!);
  books.events.set(nameOf(booked.event), booked.event);
  books.newEvents.push(booked.event);
  return { event: booked.event };
}

const nameOf = ({ organizationId, id }: { organizationId: string; id: string }) => `${organizationId} ${id}`;

function organizationOf(write: Exclude<Write, { log: RequestLog }>): string {
  if ("charge" in write) return write.charge.organizationId;
  return "grant" in write ? write.grant.organizationId : write.limit.organizationId;
}
