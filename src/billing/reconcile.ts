/**
 * Compares Stripe, the top-ups and the ledger, and corrects differences.
 *
 *   payments, refunds, disputes (there)  ──compared──  top-ups, grants, reversals (here)
 *
 * Missed events are applied as if they had just arrived. A grant that was not paid for, or not in full, is corrected by
 * a reversal or another grant; but never if Stripe does not know the payment, which may belong to another account.
 */
import { and, eq, gte, inArray, isNotNull, ne } from "drizzle-orm";
import { unixSeconds } from "../clock.ts";
import type { BillingStores } from "./billing.ts";
import { grantIdOf, returnIdOf, reverse } from "./crediting.ts";
import { creditIn, type Payment, type Reclaim } from "./payments.ts";
import type { TopUp } from "./top-ups.ts";

/** A difference. `expected`: what Stripe has; `found`: what the ledger has; micros. */
export type Discrepancy = {
  topUpId: string;
  paymentId: string | null;
  /** The refund or dispute; null for the payment itself. */
  reclaimId: string | null;
  what:
    | "unknown_top_up"
    | "not_granted"
    | "not_paid"
    | "amount_differs"
    | "status_differs"
    | "not_taken_back"
    | "not_returned";
  expectedMicros: number;
  actualMicros: number;
};

/** A payment at the service, or why there is none. Null: unknown to the service. */
type Fact = { topUpId: string; payment: Payment | null; known: boolean };

/** Since then, in Unix seconds; newest first. */
export async function reconcile(stores: BillingStores, since: number): Promise<Discrepancy[]> {
  const comparisons = (await factsOf(stores, since)).map((fact) => compare(stores, fact));
  return (await Promise.all(comparisons)).flat();
}

/** Applies missed events, and returns the remaining differences. */
export async function repair(stores: BillingStores, since: number): Promise<void> {
  for (const fact of await factsOf(stores, since)) {
    if ((await compare(stores, fact)).length === 0) continue;
    if (fact.payment) await stores.crediting.payment(fact.payment);
    for (const left of await compare(stores, fact)) if (fact.known) await correct(stores, left);
  }
}

async function factsOf(stores: BillingStores, since: number): Promise<Fact[]> {
  const { payments, topUps } = stores;
  const facts = new Map<string, Fact>();
  const add = (payment: Payment | null) => {
    const topUpId = payment?.purchase?.topUpId;
    if (topUpId) facts.set(topUpId, { topUpId, payment, known: true });
  };
  const seen = new Set<string>();
  for await (const payment of payments.payments({ since })) {
    seen.add(payment.id);
    add(payment);
  }
  for (const { paymentId } of await payments.reclaims({ since })) {
    if (paymentId !== null && !seen.has(paymentId)) add(await payments.readPayment(paymentId));
  }
  for (const topUpId of await grantedSince(stores, since)) {
    if (facts.has(topUpId)) continue;
    const topUp = await topUps.read(topUpId);
    facts.set(topUpId, { topUpId, ...(await lookUp(stores, topUp)) });
  }
  return [...facts.values()];
}

async function lookUp({ payments }: BillingStores, topUp: TopUp | null): Promise<Omit<Fact, "topUpId">> {
  const { paymentIntentId = null, checkoutSessionId = null } = topUp ?? {};
  const payment = paymentIntentId === null ? null : await payments.readPayment(paymentIntentId);
  if (payment || checkoutSessionId === null) return { payment, known: payment !== null };
  const checkout = await payments.readCheckout(checkoutSessionId);
  return { payment: checkout?.payment ?? null, known: checkout !== null };
}

async function grantedSince({ database }: BillingStores, since: number): Promise<string[]> {
  const { creditGrant } = database.tables;
  const rows = await database.query
    .select({ topUpId: creditGrant.topUpId })
    .from(creditGrant)
    .where(and(isNotNull(creditGrant.topUpId), gte(creditGrant.createdAt, since)));
  return rows.map(({ topUpId }) => topUpId!);
}

/** Corrects a grant that differs from the payment. */
const takenIdOf = (topUpId: string) => `${topUpId}.taken`;
const correctionIdOf = (topUpId: string) => `${grantIdOf(topUpId)}.given`;

async function compare(stores: BillingStores, { topUpId, payment }: Fact): Promise<Discrepancy[]> {
  const { topUps, payments } = stores;
  const topUp = await topUps.read(topUpId);
  const booked = await bookedFor(stores, topUpId);
  const expected = payment?.status === "succeeded" ? (payment.creditMicros ?? payment.amountMicros) : 0;
  const about = { topUpId, paymentId: payment?.id ?? null };
  const discrepancies: Discrepancy[] = [];
  const differ = (what: Discrepancy["what"], amounts: [number, number], reclaimId: string | null = null) =>
    discrepancies.push({ ...about, reclaimId, what, expectedMicros: amounts[0], actualMicros: amounts[1] });

  const granted = booked.granted(grantIdOf(topUpId));
  const held = granted + booked.granted(correctionIdOf(topUpId)) - booked.reversed(takenIdOf(topUpId));
  if (!topUp && expected > 0) differ("unknown_top_up", [expected, held]);
  else if (held !== expected)
    differ(granted === 0 ? "not_granted" : expected === 0 ? "not_paid" : "amount_differs", [expected, held]);
  else if (topUp && expected > 0 !== (topUp.status === "succeeded"))
    differ("status_differs", [expected, held]);

  const reclaims = payment && (payment.contested || booked.reversals.length > 0);
  const byId = new Map<string, Reclaim>();
  if (reclaims) for (const one of await payments.reclaims({ paymentId: payment.id })) byId.set(one.id, one);
  for (const id of new Set([...byId.keys(), ...booked.reversals])) {
    if (id === takenIdOf(topUpId)) continue;
    const reclaim = byId.get(id);
    const gone = reclaim?.taken && !reclaim.returned ? creditIn(payment!, reclaim.amountMicros) : 0;
    const taken = booked.reversed(id) - booked.granted(returnIdOf(id));
    if (gone !== taken) differ(gone > taken ? "not_taken_back" : "not_returned", [gone, taken], id);
  }
  return discrepancies;
}

/** The ledger's amounts for a top-up. */
async function bookedFor({ database }: BillingStores, topUpId: string) {
  const { query } = database;
  const { creditGrant, creditReversal } = database.tables;
  const grantId = grantIdOf(topUpId);
  const isReturned = and(eq(creditReversal.grantId, grantId), ne(creditReversal.kind, "correction"));
  const reversals = await query.select().from(creditReversal).where(isReturned);
  const ids = [grantId, correctionIdOf(topUpId), ...reversals.map(({ id }) => returnIdOf(id))];
  const grants = await query.select().from(creditGrant).where(inArray(creditGrant.id, ids));
  const amountIn = (rows: { id: string; amountMicros: number }[]) => (id: string) =>
    rows.find((row) => row.id === id)?.amountMicros ?? 0;
  return {
    reversals: reversals.map(({ id }) => id),
    granted: amountIn(grants),
    reversed: amountIn(reversals),
  };
}

/** Corrects credit that does not match the payment. */
async function correct(stores: BillingStores, left: Discrepancy): Promise<void> {
  const { ledger, topUps, clock } = stores;
  const { topUpId, reclaimId, what, expectedMicros, actualMicros } = left;
  const topUp = await topUps.read(topUpId);
  if (!topUp) return;
  const { organizationId } = topUp;
  const createdAt = unixSeconds(clock);
  const missing = expectedMicros - actualMicros;
  if (what === "not_paid" || (what === "amount_differs" && missing < 0))
    await reverse(stores, {
      ...{ id: takenIdOf(topUpId), organizationId, grantId: grantIdOf(topUpId), kind: "refund" },
      ...{ amountMicros: -missing, createdAt },
    });
  if (what === "not_returned" || (what === "amount_differs" && missing > 0))
    await ledger.grant({
      id: reclaimId === null ? correctionIdOf(topUpId) : returnIdOf(reclaimId),
      ...{ organizationId, kind: "purchase", amountMicros: Math.abs(missing) },
      ...{ createdAt, expiresAt: null, topUpId: null },
    });
  if (expectedMicros === 0 && (what === "not_paid" || what === "status_differs"))
    await topUps.change(topUpId, { status: "failed", problem: "not_paid" });
}
