/** The interface of a ledger store. */
import type { BusinessQuery, BusinessRows } from "../db/queries/business-reads.ts";
import type { Latency, LatencyQuery } from "../db/queries/latency-reads.ts";
import type { LimitUse } from "../db/queries/limit-use-reads.ts";
import type { LoadDay, LoadQuery } from "../db/queries/load-reads.ts";
import type { RequestQuery, RequestRow } from "../db/queries/request-reads.ts";
import type { RunQuery } from "../db/queries/request-runs.ts";
import type { Totals, UsageQuery, UsageRow } from "../db/queries/usage-reads.ts";
import type { Audit } from "./audit.ts";
import type { Account, BudgetPeriod, Grant, MonthSums, Reversal } from "./booking/burn-down.ts";
import type { Name, Outcome, RequestLog, Write } from "./booking/write.ts";
import type { Span } from "./statement.ts";
import type { StatementRow } from "./statement-rows.ts";

/** What pages and commands read. */
export type Reads = {
  /** Newest first. */
  grants(organizationId: string): Promise<Grant[]>;
  /** What was taken back of its grants, oldest first. */
  reversals(organizationId: string): Promise<Reversal[]>;
  /** What is counted of these periods of budgets, in their order. */
  budgets(periods: [organizationId: string, ...BudgetPeriod][]): Promise<number[]>;
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
  /** What was refused on each day, and the most requests at once. */
  load(query: LoadQuery): Promise<LoadDay[]>;
  /** The most of each limit that was used, by quarter of an hour. */
  limitUse(query: RunQuery): Promise<LimitUse[]>;
  /** What the statements of a month are made of: a scan of all events since then. */
  statementRows(span: Span): Promise<StatementRow[]>;
  /** Sums of all organizations by day. */
  businessRows(query: BusinessQuery): Promise<BusinessRows>;
};

/** `budgetMicros`: what is counted of the periods that were asked for, in their order. */
export type BalancedAccount = Account & { balanceMicros: number; budgetMicros: number[] };

/** Reads that scan long ranges. They take turns, and on SQLite run on a separate thread. */
export type LongReads = Pick<
  Reads,
  | "usage"
  | "requestPage"
  | "request"
  | "recentErrors"
  | "latencies"
  | "load"
  | "limitUse"
  | "statementRows"
  | "businessRows"
>;

/** The long reads as messages to their thread. */
export type ReadWork = {
  [Name in keyof LongReads]: {
    task: { read: Name; args: Parameters<LongReads[Name]> };
    result: Awaited<ReturnType<LongReads[Name]>>;
  };
}[keyof LongReads];

/** One database. A store loads and saves; `batch.ts` decides what. */
export type Store = AsyncDisposable &
  Reads & {
    /** Applies all in one durable transaction. A known id returns its earlier outcome. */
    apply(writes: Write[]): Promise<Outcome[]>;
    /** Null before the first write. With what is counted of these budgets. `now` in Unix seconds: expired grants do not count. */
    account(organizationId: string, now: number, periods?: BudgetPeriod[]): Promise<BalancedAccount | null>;
    /** The same as the last batches left it, for a while; null where that is not known. */
    recent?(organizationId: string, now: number, periods: BudgetPeriod[]): BalancedAccount | null;
    /** All accounts, without budgets. */
    accounts(now: number): Promise<BalancedAccount[]>;
    /** The sums of a month by organization: of one, or of all whose accounts store another month. */
    costs(of: {
      month: number;
      from: number;
      to: number;
      organizationId: string | null;
    }): Promise<ReadonlyMap<string, MonthSums>>;
    /** `now` in Unix seconds: what is older than it is kept is not compared. */
    audit(now: number): Promise<Audit>;
    /** Request logs from before the time of their organization, in chunks. */
    oldRequests(beforeOf: (organizationId: string) => number): AsyncIterable<Name[]>;
  };
