/** The ledger as the rest of the server sees it: may this organization spend, and book what it spent. */
import { type Clock, unixSeconds } from "../clock.ts";
import { reached } from "../errors.ts";
import {
  type Account,
  type Charge,
  type Grant,
  monthOf,
  type NewGrant,
  newAccount,
  startingGrant,
  type UsageEvent,
} from "./book.ts";
import { openLine } from "./line.ts";

/** One request that reached an audio endpoint, as the log views show it. `createdAt` in Unix seconds. */
export type RequestLog = {
  id: string;
  createdAt: number;
  durationMs: number;
  /** Until the first byte of audio or text; null where none was sent. */
  firstByteMs: number | null;
  endpoint: string;
  method: string;
  status: number;
  errorCode: string | null;
  organizationId: string;
  projectId: string;
  keyId: string;
  environment: "live" | "test";
  model: string | null;
  voice: string | null;
  stream: boolean;
  responseFormat: string | null;
  characters: number | null;
  audioSeconds: number | null;
  costMicros: number;
  ip: string | null;
  userAgent: string | null;
};

export type Write =
  | { log: RequestLog }
  | { charge: Charge }
  | { grant: NewGrant }
  | { limit: { organizationId: string; micros: number | null } };

/** What became of a write, in its place; `error` is a bug's message, for one bad write must not fail its batch. */
export type Outcome = { event: UsageEvent } | { grant: Grant } | { done: true } | { error: string };

/** Where it is kept. A store loads and saves; `book.ts` decides. */
export type Store = AsyncDisposable & {
  /** All in one durable transaction. A charge or grant whose id is known answers what it answered then. */
  apply(writes: Write[]): Promise<Outcome[]>;
  /** Null where nothing was ever booked. `now` in Unix seconds: the balance is what has not expired by then. */
  account(organizationId: string, now: number): Promise<(Account & { balanceMicros: number }) | null>;
  /** All of them, newest first. */
  grants(organizationId: string): Promise<Grant[]>;
  /** Newest first. */
  requests(organizationId: string, limit: number): Promise<RequestLog[]>;
  totals(organizationId: string): Promise<Totals>;
  audit(): Promise<Audit>;
};

/** Everything an organization was ever billed for. */
type Totals = { requests: number; characters: number; audioSeconds: number; costMicros: number };

/** Stored figures beside the same figures from the events. */
export type Audit = {
  grants: (Grant & { burnedMicros: number })[];
  accounts: (Account & { uncoveredMicros: number; settledMicros: number; monthCostMicros: number })[];
  /** Ids of events whose cost is not what was burned and uncovered. */
  torn: string[];
};

/** `monthMicros` is what this calendar month (UTC) has cost; a null limit is none. */
export type Credit = {
  balanceMicros: number;
  overdraftMicros: number;
  monthMicros: number;
  monthlyLimitMicros: number | null;
  purchasedMicros: number;
};

/** What is answered is on the disk. Closing books what waits first. */
export type Ledger = AsyncDisposable & {
  credit(organizationId: string): Promise<Credit>;
  charge(charge: Charge): Promise<UsageEvent>;
  grant(grant: NewGrant): Promise<Grant>;
  /** The starting credit: once an organization, however often it is given. */
  grantStarting(organizationId: string): Promise<Grant>;
  setMonthlyLimit(organizationId: string, micros: number | null): Promise<void>;
  /** Notes a request, or what became of it since, in a moment: nobody waits for it. */
  log(request: RequestLog): Promise<void>;
  grants(organizationId: string): Promise<Grant[]>;
  requests(organizationId: string, limit: number): Promise<RequestLog[]>;
  totals(organizationId: string): Promise<Totals>;
  audit(): Promise<Audit>;
};

export function openLedger(store: Store, clock: Clock): Ledger {
  const line = openLine(store);
  const { write } = line;
  const grant = async (grant: NewGrant) => (await write<{ grant: Grant }>({ grant })).grant;
  return {
    async credit(organizationId) {
      const now = unixSeconds(clock);
      const account = await reached("The ledger", store.account(organizationId, now));
      const { month, monthMicros, ...rest } = account ?? { ...newAccount(organizationId), balanceMicros: 0 };
      return { ...rest, monthMicros: month === monthOf(now) ? monthMicros : 0 };
    },
    charge: async (charge) => (await write<{ event: UsageEvent }>({ charge })).event,
    grant,
    grantStarting: (organizationId) => grant(startingGrant(organizationId, unixSeconds(clock))),
    setMonthlyLimit: async (organizationId, micros) =>
      void (await write({ limit: { organizationId, micros } })),
    log: async (log) => void (await write({ log })),
    grants: (organizationId) => store.grants(organizationId),
    requests: (organizationId, limit) => store.requests(organizationId, limit),
    totals: (organizationId) => store.totals(organizationId),
    audit: () => store.audit(),
    async [Symbol.asyncDispose]() {
      await line[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
    },
  };
}
