/** The interface of a ledger store: writes, their outcomes, and reads. */
import type { Latency, LatencyQuery } from "../db/queries/latency-reads.ts";
import type { RequestQuery, RequestRow } from "../db/queries/request-reads.ts";
import type { Totals, UsageQuery, UsageRow } from "../db/queries/usage-reads.ts";
import type { Audit } from "./audit.ts";
import type {
  Account,
  Charge,
  Grant,
  MonthSums,
  NewGrant,
  NewReversal,
  Reversal,
  UsageEvent,
} from "./burn-down.ts";

/** One request to an audio endpoint. `createdAt` in Unix seconds. */
export type RequestLog = {
  id: string;
  createdAt: number;
  durationMs: number;
  /** Time to the first byte of audio or text; null if none was sent. */
  firstByteMs: number | null;
  endpoint: string;
  method: string;
  status: number;
  errorCode: string | null;
  /** As the client received it, at most 500 characters, without keys. */
  errorMessage: string | null;
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

/** The key of a row. */
export type Name = [organizationId: string, id: string];

/**
 * `request`: the log of the charged request as far as known, so that it is logged and counted in the transaction of its
 * first charge. `void` undoes a charge, or keeps it from ever being applied.
 */
export type Write =
  | { log: RequestLog }
  | { charge: Charge; request?: RequestLog | undefined }
  | { void: Charge }
  | { grant: NewGrant }
  | { reversal: NewReversal }
  | { forget: Name[] }
  | { limit: { organizationId: string; micros: number | null } };

/** The outcome of each write, in order. `error`: a bug's message; one bad write does not fail its batch. */
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
  /** How long the newest requests of a range waited for their first audio or text. */
  latencies(query: LatencyQuery): Promise<Latency[]>;
};

export type BalancedAccount = Account & { balanceMicros: number };

/** Reads that scan long ranges. They take turns, and on SQLite run on a separate thread. */
export type LongReads = Pick<Reads, "usage" | "requestPage" | "request" | "recentErrors" | "latencies">;

/** A long read as a message to its thread. */
export type ReadTask = {
  [Name in keyof LongReads]: { read: Name; args: Parameters<LongReads[Name]> };
}[keyof LongReads];

/** One database. A store loads and saves; `batch.ts` decides what. */
export type Store = AsyncDisposable &
  Reads & {
    /** Applies all in one durable transaction. A known id returns its earlier outcome. */
    apply(writes: Write[]): Promise<Outcome[]>;
    /** Null before the first write. `now` in Unix seconds: expired grants do not count. */
    account(organizationId: string, now: number): Promise<BalancedAccount | null>;
    /** All accounts. */
    accounts(now: number): Promise<BalancedAccount[]>;
    /** The sums of a month by organization: of one, or of all whose accounts store another month. */
    costs(of: {
      month: number;
      from: number;
      to: number;
      organizationId: string | null;
    }): Promise<ReadonlyMap<string, MonthSums>>;
    /** Audits the request log from `since` on, in Unix seconds. */
    audit(since: number): Promise<Audit>;
    /** Request logs from before then, in chunks. */
    oldRequests(before: number): AsyncIterable<Name[]>;
  };
