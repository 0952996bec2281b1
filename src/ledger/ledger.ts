/**
 * The ledger as the rest of the server sees it: may this organization spend, and book what it spent.
 *
 * What is answered is on the disk. Writes gather while a batch is under way and go together as the next one.
 */
import { type Clock, unixSeconds } from "../clock.ts";
import { reached } from "../errors.ts";
import {
  type Account,
  balanceOf,
  type Charge,
  type Grant,
  monthOf,
  type NewGrant,
  newAccount,
  startingGrant,
  type UsageEvent,
} from "./book.ts";

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
  account(organizationId: string): Promise<Account | null>;
  /** Those with something left, expired ones too. */
  openGrants(organizationId: string): Promise<Grant[]>;
  /** All of them, newest first. */
  grants(organizationId: string): Promise<Grant[]>;
  /** Newest first. */
  requests(organizationId: string, limit: number): Promise<RequestLog[]>;
  totals(organizationId: string): Promise<Totals>;
  audit(): Promise<Audit>;
};

/** Everything an organization was ever billed for. */
export type Totals = { requests: number; characters: number; audioSeconds: number; costMicros: number };

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

export type Ledger = AsyncDisposable & {
  credit(organizationId: string): Promise<Credit>;
  charge(charge: Charge): Promise<UsageEvent>;
  grant(grant: NewGrant): Promise<Grant>;
  /** The starting credit: once an organization, however often it is given. */
  grantStarting(organizationId: string): Promise<Grant>;
  setMonthlyLimit(organizationId: string, micros: number | null): Promise<void>;
  /** Notes a request; it goes with the next batch. */
  log(request: RequestLog): Promise<void>;
  grants(organizationId: string): Promise<Grant[]>;
  requests(organizationId: string, limit: number): Promise<RequestLog[]>;
  totals(organizationId: string): Promise<Totals>;
  audit(): Promise<Audit>;
};

export function openLedger(store: Store, clock: Clock): Ledger {
  const write = openLine(store);
  const grant = async (grant: NewGrant) => (await write<{ grant: Grant }>({ grant })).grant;
  return {
    async credit(organizationId) {
      const [account, grants] = await reached(
        LEDGER,
        Promise.all([store.account(organizationId), store.openGrants(organizationId)]),
      );
      const now = unixSeconds(clock);
      const { month, monthMicros, ...rest } = account ?? newAccount(organizationId);
      return {
        ...rest,
        balanceMicros: balanceOf(grants, now),
        monthMicros: month === monthOf(now) ? monthMicros : 0,
      };
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
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}

const LEDGER = "The ledger";
const BATCH_MAX = 256;

type Waiting = { write: Write; resolve: (outcome: never) => void; reject: (reason: unknown) => void };

/** One batch at a time; what comes meanwhile is the next. */
function openLine(store: Store) {
  const waiting: Waiting[] = [];
  let busy = false;

  async function drain(): Promise<void> {
    busy = true;
    while (waiting.length > 0) await settle(store, waiting.splice(0, BATCH_MAX));
    busy = false;
  }

  return <T extends Outcome>(write: Write) =>
    new Promise<T>((resolve, reject) => {
      waiting.push({ write, resolve, reject });
      if (!busy) void drain();
    });
}

async function settle(store: Store, batch: Waiting[]): Promise<void> {
  try {
    const outcomes = await reached(LEDGER, store.apply(batch.map(({ write }) => write)));
    for (const [at, { resolve, reject }] of batch.entries()) {
      const outcome = outcomes[at]!;
      if ("error" in outcome) reject(new Error(outcome.error));
      else resolve(outcome as never);
    }
  } catch (fault) {
    for (const { reject } of batch) reject(fault);
  }
}
