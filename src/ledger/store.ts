/** The interface of a ledger store: writes, their outcomes, and reads. */
import type { RequestQuery, RequestRow } from "../db/queries/request-reads.ts";
import type { Totals, UsageQuery, UsageRow } from "../db/queries/usage-reads.ts";
import type { Audit } from "./audit.ts";
import type { Account, Charge, Grant, NewGrant, NewReversal, Reversal, UsageEvent } from "./burn-down.ts";

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

/** What names a row of an organization. */
export type Name = [organizationId: string, id: string];

/**
 * `request` is the log of the request that is charged, as far as it is known: it is in the log, and in the counts, from
 * the transaction of its first charge on. `void` takes a charge back, or keeps it from ever being booked.
 */
export type Write =
  | { log: RequestLog }
  | { charge: Charge; request?: RequestLog | undefined }
  | { void: Charge }
  | { grant: NewGrant }
  | { reversal: NewReversal }
  | { forget: Name[] }
  | { limit: { organizationId: string; micros: number | null } };

/** What became of a write, in its place; `error` is a bug's message, for one bad write must not fail its batch. */
export type Outcome =
  | { event: UsageEvent }
  | { grant: Grant }
  | { reversal: Reversal }
  | { done: true }
  | { error: string };

/** What pages and commands read. */
export type Reads = {
  /** Newest first. */
  grants(organizationId: string): Promise<Grant[]>;
  /** Sums by hour or day and group, oldest first; partly covered hours and days count in full. */
  usage(query: UsageQuery): Promise<UsageRow[]>;
  /** All-time sums. */
  totals(organizationId: string): Promise<Totals>;
  /** Newest first. */
  requests(organizationId: string, limit: number): Promise<RequestLog[]>;
  /** Newest first, with the grants that paid. */
  requestPage(query: RequestQuery): Promise<RequestRow[]>;
  request(organizationId: string, id: string): Promise<RequestRow | null>;
  /** Server errors of all organizations, newest first. */
  recentErrors(limit: number): Promise<RequestRow[]>;
};

export type BalancedAccount = Account & { balanceMicros: number };

/** Reads that scan long ranges. They take turns, and on SQLite run on a thread of their own. */
export type LongReads = Pick<Reads, "usage" | "requestPage" | "request" | "recentErrors">;

/** A long read as a message to its thread. */
export type ReadTask = {
  [Name in keyof LongReads]: { read: Name; args: Parameters<LongReads[Name]> };
}[keyof LongReads];

/** One database. A store loads and saves; `batch.ts` decides what. */
export type Store = AsyncDisposable &
  Reads & {
    /** All in one durable transaction. What has an id that is known answers what it answered then. */
    apply(writes: Write[]): Promise<Outcome[]>;
    /** Null where nothing was ever booked. `now` in Unix seconds: the balance is what has not expired by then. */
    account(organizationId: string, now: number): Promise<BalancedAccount | null>;
    /** Of every organization with which something was ever booked. */
    accounts(now: number): Promise<BalancedAccount[]>;
    /** What organizations were charged in a month: one, or all whose accounts count another month. */
    costs(of: {
      month: number;
      from: number;
      to: number;
      organizationId: string | null;
    }): Promise<ReadonlyMap<string, number>>;
    /** The request log is looked at from `since` on, in Unix seconds. */
    audit(since: number): Promise<Audit>;
    /** Request logs from before then, some at a time. */
    oldRequests(before: number): AsyncIterable<Name[]>;
  };
