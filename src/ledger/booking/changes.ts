/** The rows that a batch of writes begins with, and what becomes of them. */
import type { Alert, Alerting } from "./alerting.ts";
import type { Account, Grant, MonthSums, Reversal, UsageEvent } from "./burn-down.ts";
import type { Replayable } from "./replay.ts";
import type { BudgetCount, EndUserSums, UsageTotal } from "./rollup.ts";
import type { AuditEventRow, Name, RequestEnd, RequestLog } from "./write.ts";

/** An organization's charges in a month other than its account's. */
export type MonthCost = MonthSums & { organizationId: string; month: number };

export type Loaded = {
  accounts: Account[];
  months: MonthCost[];
  grants: Grant[];
  events: UsageEvent[];
  reversals: Reversal[];
  logs: RequestLog[];
  replayables: Replayable[];
  /** Of the organizations, projects and keys that are charged. */
  alerts: Alert[];
};

export type Changes = {
  accounts: Account[];
  /** Existing grants whose remaining amount changed. */
  burned: Grant[];
  grants: Grant[];
  events: UsageEvent[];
  /** Existing events that were voided, in their new state. */
  voided: UsageEvent[];
  reversals: Reversal[];
  logs: RequestLog[];
  /** Of requests whose logs are not among these. */
  ends: RequestEnd[];
  /** Additions to the sums. */
  totals: UsageTotal[];
  /** Additions to the periods of budgets. */
  budgets: BudgetCount[];
  /** Additions to the days of end users. */
  endUsers: EndUserSums[];
  /** What alerts watch, and what is to be done where one goes off. */
  alerting: Alerting;
  /** New rows of the audit log. */
  audited: AuditEventRow[];
  /** Logs to delete. */
  forgotten: Name[];
  replayables: Replayable[];
  /** Of repeated requests, to delete. */
  abandoned: Name[];
  /** When the rows of repeated requests are to be trimmed, in Unix seconds. */
  trimAt: number | null;
};
