/** How restrictions of keys and projects are changed, and what they come to for a request. */
import type { SQLWrapper } from "drizzle-orm";
import type { Database } from "../db/database.ts";
import { alertsOf } from "../db/queries/alert-rows.ts";
import { type Detail, invalidInput } from "../errors.ts";
import { isNetwork, within } from "../networks.ts";
import { type Budget, type Cap, type NewRestrictions, type Restrictions, startOf } from "../restrictions.ts";

/** In the order in which they are checked. */
export function capsOf(
  key: { id: string; restrictions: Restrictions | null },
  project: { id: string; restrictions: Restrictions | null },
): Cap[] {
  const caps: Cap[] = [];
  for (const [of, { id: subject, restrictions }] of [["key", key] as const, ["project", project] as const]) {
    if (restrictions === null) continue;
    const { addresses } = restrictions;
    caps.push({ of, subject, restrictions, admits: addresses ? within(addresses) : null });
  }
  return caps;
}

/** `before`: as they were; null: new. A budget that stays as it was goes on, any other begins unused at `now`. */
export function restrictedTo(
  fields: NewRestrictions | null,
  before: Restrictions | null,
  now: number,
): Restrictions | null {
  const { budget, limits, models, voices, addresses } = fields ?? {};
  const wrong = (addresses ?? []).flatMap((each, index) => (isNetwork(each.trim()) ? [] : [index]));
  if (wrong.length > 0) throw invalidInput(wrong.map(notNetwork));
  const limited = Object.entries(limits ?? {}).filter(([, value]) => typeof value === "number");
  const set: Restrictions = {
    ...(budget && { budget: continued(budget, before?.budget, now) }),
    ...(limited.length > 0 && { limits: Object.fromEntries(limited) }),
    ...(models && { models }),
    ...(voices && { voices }),
    ...(addresses && { addresses: addresses.map((each) => each.trim().toLowerCase()) }),
  };
  return Object.keys(set).length > 0 ? set : null;
}

const notNetwork = (index: number): Detail => ({
  field: `restrictions.addresses.${index}`,
  code: "malformed",
  message: "must be an IP address or a network such as 203.0.113.0/24",
});

function continued(
  { limit_micros, interval }: Omit<Budget, "since">,
  before: Budget | undefined,
  now: number,
): Budget {
  const isSame = before?.limit_micros === limit_micros && before.interval === interval;
  return { limit_micros, interval, since: isSame ? before.since : unusedAt(before, now) };
}

/** With a budget of which nothing is used. */
export const withUnusedBudget = (restrictions: Restrictions | null, now: number): Restrictions | null =>
  restrictions?.budget
    ? { ...restrictions, budget: { ...restrictions.budget, since: unusedAt(restrictions.budget, now) } }
    : restrictions;

type Change = { restrictions?: NewRestrictions | null | undefined; resetBudget: boolean; now: number };

/** What a change stores; `resetBudget`: with a budget of which nothing is used. */
export function restricted(
  before: Restrictions | null,
  { restrictions, resetBudget, now }: Change,
): { restrictions?: Restrictions | null } {
  const after = restrictions === undefined ? before : restrictedTo(restrictions, before, now);
  if (resetBudget) return { restrictions: withUnusedBudget(after, now) };
  return restrictions === undefined ? {} : { restrictions: after };
}

/** What a change of a key or project entails: alerts at a share of its budget. */
export const followed = (
  database: Database,
  of: { id: string; organizationId: string },
  { restrictions }: { restrictions?: Restrictions | null },
): SQLWrapper[] =>
  restrictions === undefined
    ? []
    : [alertsOf(database, of).budgeted(restrictions?.budget?.limit_micros ?? null)];

/** Another start than the period under way has, which is what tells two of them apart. */
const unusedAt = (before: Budget | undefined, now: number): number =>
  before ? Math.max(now, startOf(before, now) + 1) : now;
