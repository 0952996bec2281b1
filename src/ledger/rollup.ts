/**
 * What charges and logged requests add to the sums of their hour and their day (UTC): what charts are drawn from. Pure.
 *
 *   charge       its characters or seconds, and its cost
 *   request log  one request, perhaps one error; noted again, it counts as it was noted last
 */
import type { Tables } from "../db/database.ts";
import { PERIOD_SECONDS } from "../db/queries/usage-reads.ts";
import type { UsageEvent } from "./burn-down.ts";
import type { RequestLog } from "./store.ts";

export type UsageTotal = Tables["usageTotal"]["$inferSelect"];

type Sums = Pick<UsageTotal, "requests" | "errors" | "characters" | "audioSeconds" | "costMicros">;

/** What a request log counts by. */
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
>;

const NOTHING: Sums = { requests: 0, errors: 0, characters: 0, audioSeconds: 0, costMicros: 0 };
const SUMS = Object.keys(NOTHING) as (keyof Sums)[];

type Changed = {
  events: UsageEvent[];
  /** Events as they were before they were taken back. */
  voided: UsageEvent[];
  logs: Counted[];
  /** Those of the logs that were counted before, as they were then. */
  known: Counted[];
};

/** In one order everywhere, which is the order they are locked in. */
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

const ofCharge = ({ unit, quantity, costMicros }: UsageEvent, times: 1 | -1): Sums => ({
  ...NOTHING,
  [unit === "character" ? "characters" : "audioSeconds"]: quantity * times,
  costMicros: costMicros * times,
});

/** A client that left is no error. */
const ofRequest = ({ status }: Counted, times: 1 | -1): Sums => ({
  ...NOTHING,
  requests: times,
  errors: status >= 400 && status !== 499 ? times : 0,
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
