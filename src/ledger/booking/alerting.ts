/**
 * Which spend alerts a batch may set off, and what it adds to what they watch. Pure: the store compares, once its counts have
 * moved, and an alert goes off where its row of the period and threshold is new.
 *
 *   organization      its month, as its account counts it
 *   project or key    its month, counted from its first charge on that an alert watches; or the period of its budget
 */
import type { Tables } from "../../db/database.ts";
import type { NewWork } from "../../db/queries/work-rows.ts";
import { type Account, type MonthSums, spanOf, type UsageEvent } from "./burn-down.ts";

export type Alert = Pick<
  Tables["spendAlert"]["$inferSelect"],
  "id" | "organizationId" | "scope" | "subject" | "percent" | "thresholdMicros"
>;

/** What is added to the count of a month. `isWatched`: where there is no count yet, it begins with the sums of the days. */
export type SpendCount = {
  organizationId: string;
  subject: string;
  scope: "project" | "key";
  start: number;
  end: number;
  micros: number;
  isWatched: boolean;
};

/** An alert that goes off if its count has reached the threshold. `counted`: where it is; the account's is known already. */
export type Candidate = {
  organizationId: string;
  alertId: string;
  counted: "account" | "month" | "budget";
  subject: string;
  start: number;
  thresholdMicros: number;
  /** Of the account. */
  micros: number | null;
  createdAt: number;
  work: NewWork;
};

/** `work`: of balances that fell. */
export type Alerting = { counts: SpendCount[]; candidates: Candidate[]; work: NewWork[] };

/** The kind of the work that an alert makes, and its payload as JSON. */
export const SPEND_ALERT_WORK = "spend_alert";
export type SpendAlertWork = {
  organizationId: string;
  alertId: string;
  start: number;
  thresholdMicros: number;
};

/** As the batch leaves them. `months`: by organization and month, those that are not their account's. */
type Accounts = {
  accounts: ReadonlyMap<string, Account>;
  months: ReadonlyMap<string, MonthSums>;
};

type Charged = { alerts: readonly Alert[]; events: readonly UsageEvent[]; voided: readonly UsageEvent[] };

const NONE = { counts: [], candidates: [] };

export function alertingOf({ alerts, events, voided }: Charged, of: Accounts): Omit<Alerting, "work"> {
  const isReturned = voided.length > 0 || events.some(({ costMicros }) => costMicros < 0);
  if (alerts.length === 0 && !isReturned) return NONE;
  const watching = Map.groupBy(alerts, ({ organizationId, subject }) => `${organizationId} ${subject}`);
  const candidates = new Map<string, Candidate>();
  for (const event of events)
    for (const subject of event.costMicros > 0 ? subjectsOf(event) : [])
      for (const alert of watching.get(`${event.organizationId} ${subject}`) ?? []) {
        const found = alert.scope === "organization" ? ofAccount(alert, event, of) : ofCount(alert, event);
        if (found === null) continue;
        const id = `${alert.id}_${found.start}_${found.thresholdMicros}`;
        if (!candidates.has(id)) candidates.set(id, candidateOf(id, { alert, found, event }));
      }
  return { counts: countsOf({ alerts, events, voided }), candidates: [...candidates.values()] };
}

const subjectsOf = ({ organizationId, projectId, keyId }: UsageEvent) => [organizationId, projectId, keyId];

/** In a fixed order, in which rows are locked. */
function countsOf({ alerts, events, voided }: Charged): SpendCount[] {
  const watched = new Set(
    alerts
      .filter(({ percent }) => percent === null)
      .map(({ organizationId, subject }) => `${organizationId} ${subject}`),
  );
  const counts = new Map<string, SpendCount>();
  const count = (event: UsageEvent, times: 1 | -1) => {
    const { organizationId, projectId, keyId, month, costMicros } = event;
    for (const [scope, subject] of [["project", projectId] as const, ["key", keyId] as const]) {
      const isWatched = watched.has(`${organizationId} ${subject}`);
      const micros = costMicros * times;
      if (micros === 0 || (!isWatched && micros > 0)) continue;
      const { from: start, to: end } = spanOf(month);
      const name = `${organizationId} ${subject} ${start}`;
      const known = counts.get(name)?.micros ?? 0;
      counts.set(name, { organizationId, subject, scope, start, end, micros: known + micros, isWatched });
    }
  };
  for (const event of events) count(event, 1);
  for (const event of voided) count(event, -1);
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, counted]) => counted);
}

type Found = Pick<Candidate, "counted" | "start" | "thresholdMicros" | "micros">;

function candidateOf(
  id: string,
  { alert, found, event }: { alert: Alert; found: Found; event: UsageEvent },
): Candidate {
  const { organizationId, id: alertId, subject } = alert;
  const { start, thresholdMicros } = found;
  const { createdAt } = event;
  const payload: SpendAlertWork = { organizationId, alertId, start, thresholdMicros };
  const work = { id, kind: SPEND_ALERT_WORK, dueMs: createdAt * 1000, payload: JSON.stringify(payload) };
  return { organizationId, alertId, subject, ...found, createdAt, work };
}

/** Money is what was used at list price; a percentage is of what may be deducted, and compared with what was. */
function ofAccount(
  { percent, thresholdMicros: fixed }: Alert,
  { organizationId, month }: UsageEvent,
  { accounts, months }: Accounts,
): Found | null {
  const account = accounts.get(organizationId);
  if (!account) return null;
  const { monthMicros: costMicros, monthUnmeteredMicros: unmeteredMicros } = account;
  const current = { costMicros, unmeteredMicros };
  const sums = account.month === month ? current : months.get(`${organizationId} ${month}`);
  const thresholdMicros = percent === null ? fixed : shareOf(account.monthlyLimitMicros, percent);
  if (!sums || !thresholdMicros) return null;
  const micros = percent === null ? sums.costMicros : sums.costMicros - sums.unmeteredMicros;
  if (micros < thresholdMicros) return null;
  return { counted: "account", start: spanOf(month).from, thresholdMicros, micros };
}

function ofCount({ percent, thresholdMicros, subject }: Alert, { month, budgets }: UsageEvent): Found | null {
  const start = percent === null ? spanOf(month).from : budgets?.find(([of]) => of === subject)?.[1];
  if (!thresholdMicros || start === undefined) return null;
  return { counted: percent === null ? "month" : "budget", start, thresholdMicros, micros: null };
}

/** So many percent of an amount, rounded up to whole micros; null: of none. */
export const shareOf = (micros: number | null, percent: number): number | null =>
  micros === null ? null : Math.ceil((micros * percent) / 100);
