/** Payments of requests: sums their charges, in one query per page. */
import { and, between, eq, or } from "drizzle-orm";
import type { Unit } from "../../charged-units.ts";
import type { Plan } from "../../plans.ts";
import type { Database } from "../database.ts";

/** Plan, unit and price are null if nothing was charged; the price also if the charges had different ones. */
export type Payment = {
  plan: Plan | null;
  quantity: number;
  unit: Unit | null;
  priceMicros: number | null;
  overdraftMicros: number;
  burns: [grantId: string, micros: number][];
};

type Name = { organizationId: string; id: string };

/** The fields of a charge that describe its payment. */
type Charged = Omit<Payment, "plan" | "unit" | "priceMicros"> & {
  plan: Plan;
  unit: Unit;
  priceMicros: number;
};

export function openPayments({ query, tables: { usageEvent } }: Database) {
  const { organizationId, requestId, plan, quantity, unit, priceMicros, overdraftMicros, burns } = usageEvent;
  const columns = { organizationId, requestId, plan, quantity, unit, priceMicros, overdraftMicros, burns };
  return {
    /** The rows, each with its payment. */
    async paid<R extends Name>(requests: R[]): Promise<(R & { payment: Payment })[]> {
      if (requests.length === 0) return [];
      const charges = await query
        .select(columns)
        .from(usageEvent)
        .where(or(...requests.map((request) => ofRequest(request))));
      const byRequest = Map.groupBy(charges, ({ requestId }) => requestId);
      return requests.map((request) => ({ ...request, payment: together(byRequest.get(request.id) ?? []) }));
    },
  };

  /** A charge's id is its request's id, a dot and a number; that of its refund begins with it. */
  function ofRequest({ organizationId, id }: Name) {
    const ids = between(usageEvent.id, `${id}.0`, `${id}.z`);
    return and(eq(usageEvent.organizationId, organizationId), ids);
  }
}

function together(charges: Charged[]): Payment {
  const paid = new Map<string, number>();
  for (const [grantId, micros] of charges.flatMap(({ burns }) => burns))
    paid.set(grantId, (paid.get(grantId) ?? 0) + micros);
  const sum = (name: "quantity" | "overdraftMicros") =>
    charges.reduce((total, charge) => total + charge[name], 0);
  const [first] = charges;
  const isOne = charges.every(({ priceMicros }) => priceMicros === first?.priceMicros);
  return {
    plan: first?.plan ?? null,
    quantity: sum("quantity"),
    unit: first?.unit ?? null,
    priceMicros: first && isOne ? first.priceMicros : null,
    overdraftMicros: sum("overdraftMicros"),
    burns: [...paid].filter(([, micros]) => micros !== 0), // some were refunded
  };
}
