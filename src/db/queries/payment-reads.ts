/** Payments of requests: sums their charges, in one query per page. */
import { and, between, eq, or } from "drizzle-orm";
import type { Unit } from "../../charged-units.ts";
import type { Plan } from "../../plans.ts";
import type { Database } from "../database.ts";

/** What was charged of one model at one price. */
type PaidPart = { model: string; unit: Unit; priceMicros: number; quantity: number; costMicros: number };

/**
 * Plan, unit and price are null if nothing was charged; unit and price also if there were different ones, as of a conversation.
 * The quantity is that of the unit.
 */
export type Payment = {
  plan: Plan | null;
  quantity: number;
  unit: Unit | null;
  priceMicros: number | null;
  parts: PaidPart[];
  overdraftMicros: number;
  burns: [grantId: string, micros: number][];
};

type Name = { organizationId: string; id: string };

/** The fields of a charge that describe its payment. */
type Charged = PaidPart & Pick<Payment, "overdraftMicros" | "burns"> & { plan: Plan };

export function openPayments({ query, tables: { usageEvent } }: Database) {
  const { organizationId, requestId, plan, model, unit, priceMicros, quantity, costMicros } = usageEvent;
  const { overdraftMicros, burns } = usageEvent;
  const part = { model, unit, priceMicros, quantity, costMicros };
  const columns = { organizationId, requestId, plan, ...part, overdraftMicros, burns };
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
  const [first] = charges;
  const only = <Name extends "unit" | "priceMicros">(name: Name): Charged[Name] | null =>
    first && charges.every((charge) => charge[name] === first[name]) ? first[name] : null;
  const unit = only("unit");
  return {
    plan: first?.plan ?? null,
    quantity: unit === null ? 0 : sumOf(charges, "quantity"),
    unit,
    priceMicros: unit && only("priceMicros"),
    parts: partsOf(charges),
    overdraftMicros: sumOf(charges, "overdraftMicros"),
    burns: [...paid].filter(([, micros]) => micros !== 0), // some were refunded
  };
}

const sumOf = (charges: Charged[], name: "quantity" | "costMicros" | "overdraftMicros"): number =>
  charges.reduce((total, charge) => total + charge[name], 0);

const partsOf = (charges: Charged[]): PaidPart[] =>
  [...Map.groupBy(charges, ({ model, unit, priceMicros }) => `${unit} ${priceMicros} ${model}`).values()].map(
    (alike) => {
      const { model, unit, priceMicros } = alike[0]!;
      const quantity = sumOf(alike, "quantity");
      return { model, unit, priceMicros, quantity, costMicros: sumOf(alike, "costMicros") };
    },
  );
