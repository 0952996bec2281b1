/**
 * Adds charges and logged requests to the sums of their hour and day (UTC), which charts are drawn from. Pure.
 *
 *   charge       its characters, seconds or tokens, and its cost
 *   charge       its cost, to each budget that it counts toward
 *   both         to the day of the end user that the request's log names
 *   request log  one request, and possibly one error or one that its client left; a later log of the same request replaces the earlier
 */

import { SUM_OF } from "../../charged-units.ts";
import type { Tables } from "../../db/database.ts";
import { PERIOD_SECONDS } from "../../db/queries/usage-reads.ts";
import { type UsageEvent, unmeteredOf } from "./burn-down.ts";
import { nameOf, type RequestLog } from "./write.ts";

type Sum =
  | "requests"
  | "errors"
  | "abandoned"
  | "characters"
  | "audioSeconds"
  | "tokens"
  | "costMicros"
  | "unmeteredMicros";
type Sums = Record<Sum, number>;

export type UsageTotal = Omit<Tables["usageTotal"]["$inferSelect"], Sum> & Sums;

/** The groups that a request log is counted in. */
export type Counted = Pick<
  RequestLog,
  | "id"
  | "createdAt"
  | "status"
  | "organizationId"
  | "projectId"
  | "keyId"
  | "environment"
  | "model"
  | "endpoint"
  | "endUser"
>;

const NOTHING: Sums = {
  requests: 0,
  errors: 0,
  abandoned: 0,
  characters: 0,
  audioSeconds: 0,
  tokens: 0,
  costMicros: 0,
  unmeteredMicros: 0,
};
const SUMS = Object.keys(NOTHING) as (keyof Sums)[];

type Changed = {
  events: UsageEvent[];
  /** Events before they were voided. */
  voided: UsageEvent[];
  logs: Counted[];
  /** Earlier versions of the logs, which have been counted already. */
  known: Counted[];
};

/** In a fixed order, in which rows are locked. */
export function rollUp({ events, voided, logs, known }: Changed): UsageTotal[] {
  const totals = new Map<string, UsageTotal>();
  for (const event of events) add(totals, event, ofCharge(event, 1));
  for (const event of voided) add(totals, event, ofCharge(event, -1));
  for (const log of known) add(totals, log, ofRequest(log, -1));
  for (const log of logs) add(totals, log, ofRequest(log, 1));
  return [...totals]
    .filter(([, total]) => SUMS.some((name) => total[name] !== 0))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, total]) => total);
}

/** What is added to the period of a budget, or counted of it. */
export type BudgetCount = { organizationId: string; subject: string; start: number; micros: number };

/** What charges add to the budgets that they count toward, in a fixed order, in which rows are locked. */
export function countBudgets({ events, voided }: Pick<Changed, "events" | "voided">): BudgetCount[] {
  const counts = new Map<string, BudgetCount>();
  const count = ({ organizationId, budgets, costMicros }: UsageEvent, times: 1 | -1) => {
    for (const [subject, start] of budgets ?? []) {
      const name = `${organizationId} ${subject} ${start}`;
      const micros = (counts.get(name)?.micros ?? 0) + costMicros * times;
      counts.set(name, { organizationId, subject, start, micros });
    }
  };
  for (const event of events) count(event, 1);
  for (const event of voided) count(event, -1);
  return [...counts]
    .filter(([, { micros }]) => micros !== 0)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, counted]) => counted);
}

export type EndUserSums = Tables["endUserDay"]["$inferSelect"];

/** How many names of end users a day of an organization has. What others used is added up under one. */
export const END_USERS_MAX = 1000;
export const OTHER_END_USERS = "others";

/** What is added to the days of end users, in a fixed order, in which rows are locked. */
export function countEndUsers({ events, voided, logs, known }: Changed): EndUserSums[] {
  const all = [...known, ...logs];
  if (all.every(({ endUser }) => endUser === null)) return [];
  const sums = new Map<string, EndUserSums>();
  const logOf = new Map(all.map((log) => [nameOf(log), log]));
  const count = ({ organizationId, createdAt, endUser }: Counted, added: Sums) => {
    if (endUser === null) return;
    const day = createdAt - (createdAt % PERIOD_SECONDS.day);
    const { unmeteredMicros: _, abandoned: __, ...amounts } = added;
    const name = `${organizationId} ${day} ${endUser}`;
    const sum = sums.get(name);
    if (!sum) sums.set(name, { organizationId, day, endUser, ...amounts });
    else for (const each of END_USER_SUMS) sum[each] += amounts[each];
  };
  const countCharge = (event: UsageEvent, times: 1 | -1) => {
    const log = logOf.get(nameOf({ organizationId: event.organizationId, id: event.requestId }));
    if (log) count(log, ofCharge(event, times));
  };
  for (const event of events) countCharge(event, 1);
  for (const event of voided) countCharge(event, -1);
  for (const log of known) count(log, ofRequest(log, -1));
  for (const log of logs) count(log, ofRequest(log, 1));
  return [...sums]
    .filter(([, sum]) => END_USER_SUMS.some((each) => sum[each] !== 0))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, sum]) => sum);
}

const END_USER_SUMS = ["requests", "errors", "characters", "audioSeconds", "tokens", "costMicros"] as const;

const ofCharge = (event: UsageEvent, times: 1 | -1): Sums => ({
  ...NOTHING,
  [SUM_OF[event.unit]]: event.quantity * times,
  costMicros: event.costMicros * times,
  unmeteredMicros: unmeteredOf(event) * times,
});

const LEFT = 499;

/** A client that disconnected is not an error, and no success either. */
const ofRequest = ({ status }: Counted, times: 1 | -1): Sums => ({
  ...NOTHING,
  requests: times,
  errors: status >= 400 && status !== LEFT ? times : 0,
  abandoned: status === LEFT ? times : 0,
});

function add(totals: Map<string, UsageTotal>, of: UsageEvent | Counted, sums: Sums): void {
  const { organizationId, projectId, keyId, environment, endpoint, createdAt } = of;
  const model = of.model ?? "";
  for (const period of ["hour", "day"] as const) {
    const start = createdAt - (createdAt % PERIOD_SECONDS[period]);
    const name = [organizationId, period, start, projectId, keyId, environment, model, endpoint].join(" ");
    const total = totals.get(name);
    if (total) for (const sum of SUMS) total[sum] += sums[sum];
    else {
      const dimensions = { organizationId, projectId, keyId, environment, model, endpoint };
      totals.set(name, { ...dimensions, period, start, ...sums });
    }
  }
}
