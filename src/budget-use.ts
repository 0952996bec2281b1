/** What keys and projects have used of their budgets in the periods that are under way, as their records show it. */
import Type, { type Static } from "typebox";
import type { BudgetPeriod, NewRestrictions } from "./restrictions.ts";

/** From this share on a budget is nearly used up. */
const NEAR = 0.8;

export const BudgetUse = Type.Object(
  {
    began_at: Type.Integer({ description: "When the period began, or the budget was set or reset in it." }),
    begins_again_at: Type.Union([Type.Integer(), Type.Null()], { description: "Null: not by itself." }),
    used_micros: Type.Integer({ description: "Millionths of a dollar, at list price." }),
    state: Type.Enum(["within", "near", "reached"], {
      description: "`near`: 80% or more are used. `reached`: requests are refused.",
    }),
  },
  { description: "Of the budget of `restrictions`, in the period that is under way." },
);
export type BudgetUse = Static<typeof BudgetUse>;

/** Reads what is counted of periods of budgets, in their order. */
type Counts = {
  budgets(periods: [organizationId: string, subject: string, start: number][]): Promise<number[]>;
};

type Budgeted = {
  id: string;
  organization_id: string;
  restrictions: NewRestrictions | null;
  budget_period: BudgetPeriod | null;
};

type Used<R extends Budgeted> = Omit<R, "budget_period"> & { budget_period: BudgetUse | null };

/** By one read for all of them, and by none where none has a budget. */
export async function withBudgetUse<R extends Budgeted>(ledger: Counts, records: R[]): Promise<Used<R>[]> {
  const periods = records.flatMap(
    ({ id, organization_id, budget_period: period }): [string, string, number][] =>
      period ? [[organization_id, id, period.began_at]] : [],
  );
  const counts = periods.length > 0 ? await ledger.budgets(periods) : [];
  const counted = new Map(periods.map(([, id], index) => [id, counts[index] ?? 0]));
  return records.map(({ budget_period: period, ...record }) => {
    const micros = counted.get(record.id) ?? 0;
    const limit = record.restrictions?.budget?.limit_micros ?? 0;
    return {
      ...record,
      budget_period: period && { ...period, used_micros: micros, state: stateOf(micros, limit) },
    };
  });
}

/** The same of one. */
export const usedOf = async <R extends Budgeted>(ledger: Counts, record: R): Promise<Used<R>> =>
  (await withBudgetUse(ledger, [record]))[0]!;

function stateOf(used: number, limit: number): BudgetUse["state"] {
  if (used >= limit) return "reached";
  return used >= limit * NEAR ? "near" : "within";
}
