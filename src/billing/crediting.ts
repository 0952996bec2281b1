/**
 * Turns payments into credit, and refunds and disputes into reversals. The only such path.
 *
 *   payment, read from Stripe ──> grant (durable, idempotent by id) ──> reversals ──> status of the top-up
 *
 * Auto-recharge is switched off before credit is taken back: a card is never charged for its own refund.
 *
 * The result does not depend on the order or number of events. A step that was interrupted is repeated by the next
 * event or the reconcile job.
 */
import { eq, sql } from "drizzle-orm";
import { type Clock, unixSeconds } from "../clock.ts";
import type { Database } from "../db/database.ts";
import { raisedOnce } from "../db/queries/event-rows.ts";
import { Refusal } from "../errors.ts";
import { type NewEvent, openRaising } from "../events/raising.ts";
import type { NewReversal } from "../ledger/booking/burn-down.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { Log } from "../log/log.ts";
import type { BillingAccounts } from "./billing-accounts.ts";
import type { Invoicing } from "./invoicing.ts";
import { type Checkout, creditIn, isUntried, type Payment, type Payments, type Reclaim } from "./payments.ts";
import type { TopUp, TopUps } from "./top-ups.ts";

const YEAR_SECONDS = 365 * 86_400;

/** A top-up is granted under its own id, and a failed refund is granted back under that refund's id. */
export const grantIdOf = (topUpId: string) => topUpId.replace(/^topup_/, "grant_");
export const returnIdOf = (reclaimId: string) => `grant_${reclaimId}`;

export type Crediting = {
  /** Null if it does not belong to this server. */
  payment(payment: Payment): Promise<TopUp | null>;
  checkout(checkout: Checkout): Promise<TopUp | null>;
  /** Notes what an invoice says of its top-up. */
  invoice(invoiceId: string): Promise<void>;
  /** Ends a top-up that will not be paid, with the reason if known. */
  fail(topUp: TopUp, problem: string, paymentId?: string): Promise<TopUp>;
};

type CreditingDeps = {
  database: Database;
  ledger: Ledger;
  payments: Payments;
  topUps: TopUps;
  accounts: BillingAccounts;
  invoicing: Invoicing;
  clock: Clock;
  log: Log;
};

export function openCrediting(deps: CreditingDeps): Crediting {
  const { payments, topUps, accounts, invoicing, clock, log } = deps;

  /** Restores the row of a payment for a known organization, which may be missing after restoring a backup. */
  async function rowOf({ purchase, amountMicros, createdAt }: Payment): Promise<TopUp | null> {
    if (!purchase) return null;
    const { topUpId: id, ...whose } = purchase;
    const known = await topUps.read(id);
    if (known || !(await isOurs(deps.database, whose.organizationId))) return known;
    const added = await topUps.add({ id, ...whose, amountMicros, createdAt, createdBy: null });
    const row = added ?? (await topUps.read(id)); // a concurrent call may have added it
    if (row) return row;
    const message = "Another charge of this organization is in progress. Try again in a moment.";
    throw new Refusal("service_unavailable", message, { retryAfterSeconds: 60 });
  }

  async function fail(topUp: TopUp, problem: string, paymentId?: string): Promise<TopUp> {
    // update the account first: once the row has ended, another charge may begin
    if (topUp.kind === "auto_recharge" && topUp.status === "pending") {
      const { balanceMicros, overdraftMicros } = await deps.ledger.credit(topUp.organizationId);
      const leftMicros = balanceMicros - overdraftMicros;
      await accounts.recordFailure(topUp, { problem, leftMicros, now: unixSeconds(clock) });
    }
    const changes = { problem, ...(paymentId ? { paymentIntentId: paymentId } : {}) };
    return (await topUps.end(topUp.id, "failed", changes)) ?? topUp;
  }

  async function applyPayment(topUp: TopUp, payment: Payment): Promise<TopUp> {
    const { id, status, problem, receivedMicros, creditMicros } = payment;
    if (isUntried(payment)) return topUp;
    if (status === "processing") return await topUps.change(topUp.id, { paymentIntentId: id });
    if (status !== "succeeded") return await fail(topUp, problem ?? status, id);
    if (receivedMicros !== null && creditMicros !== null) {
      const credited = await credit(deps, topUp, { ...payment, receivedMicros, creditMicros });
      return credited.invoiceId === null ? await invoicing.find(credited) : credited;
    }
    log.error("payment_currency_unexpected", { paymentId: id, topUpId: topUp.id });
    return await fail(topUp, "wrong_currency", id);
  }

  return {
    fail,
    invoice: (invoiceId) => invoicing.note(invoiceId),
    async payment(payment) {
      const topUp = await rowOf(payment);
      if (!topUp) return null;
      const checkoutId = payment.status === "succeeded" ? null : topUp.checkoutSessionId;
      if (checkoutId === null) return await applyPayment(topUp, payment);
      const checkout = await payments.readCheckout(checkoutId); // while it is open, the user may try another card
      return checkout && (await this.checkout(checkout));
    },
    async checkout({ status, topUpId, payment }) {
      const topUp = payment ? await rowOf(payment) : topUpId === null ? null : await topUps.read(topUpId);
      if (!topUp) return null;
      const isPaid = payment?.status === "succeeded";
      if (payment && (isPaid || status === "complete")) return await applyPayment(topUp, payment);
      if (status !== "expired") return topUp;
      return (await topUps.end(topUp.id, "expired", {})) ?? topUp;
    },
  };
}

async function credit(
  deps: CreditingDeps,
  topUp: TopUp,
  payment: Payment & { receivedMicros: number; creditMicros: number },
): Promise<TopUp> {
  const { ledger, payments, topUps, accounts } = deps;
  const { id, organizationId } = topUp;
  const { paidAt, receivedMicros, creditMicros, receiptUrl } = payment;
  await ledger.grant({
    id: grantIdOf(id),
    organizationId,
    kind: "purchase",
    amountMicros: creditMicros,
    createdAt: paidAt,
    expiresAt: paidAt + YEAR_SECONDS,
    topUpId: id,
  });
  if (topUp.kind === "auto_recharge" && topUp.status !== "succeeded")
    await accounts.resetFailures(organizationId);
  if (topUp.status !== "succeeded")
    await raised(deps, {
      ...{ type: "payment.succeeded", organizationId, once: { key: id, at: paidAt } },
      data: { top_up_id: id, amount_micros: creditMicros, paid_micros: receivedMicros },
    });
  if (payment.contested || topUp.refundedMicros > 0)
    for (const reclaim of await payments.reclaims({ paymentId: payment.id }))
      await takeBack(deps, topUp, { ...reclaim, amountMicros: creditIn(payment, reclaim.amountMicros) });
  return await topUps.change(id, {
    status: "succeeded",
    amountMicros: creditMicros,
    taxMicros: taxMicros(receivedMicros - creditMicros) as unknown as number,
    totalMicros: receivedMicros,
    refundedMicros: reversedMicros(id) as unknown as number,
    paymentIntentId: payment.id,
    problem: null,
    settledAt: paidAt,
    ...(receiptUrl ? { receiptUrl } : {}),
  });
}

/** `reclaim`: its share of the credit. A failed refund changes nothing, unless its credit was already taken back. */
async function takeBack(deps: CreditingDeps, topUp: TopUp, reclaim: Reclaim): Promise<void> {
  const { ledger, clock } = deps;
  const { id, kind, amountMicros, createdAt, taken, returned } = reclaim;
  const { organizationId } = topUp;
  if (!taken && !(returned && (await isReversed(deps.database, id)))) return;
  await reverse(deps, { id, organizationId, grantId: grantIdOf(topUp.id), kind, amountMicros, createdAt });
  if (!returned) return;
  const now = unixSeconds(clock);
  const back = { kind: "purchase" as const, createdAt: now, expiresAt: now + YEAR_SECONDS, topUpId: null };
  await ledger.grant({ id: returnIdOf(id), organizationId, amountMicros, ...back });
}

/** Idempotent by id. A repeated one does not switch auto-recharge off again: an owner may have switched it on. */
export async function reverse(
  deps: Pick<CreditingDeps, "database" | "ledger" | "accounts" | "clock">,
  reversal: NewReversal,
): Promise<void> {
  const { database, ledger, accounts } = deps;
  const { id, organizationId, grantId, kind, amountMicros, createdAt } = reversal;
  if (await isReversed(database, id)) return;
  await accounts.stopRecharge(organizationId, kind === "dispute" ? "disputed" : "refunded");
  await raised(deps, {
    ...{ type: "payment.refunded", organizationId, once: { key: id, at: createdAt } },
    data: { top_up_id: grantId.replace(/^grant_/, "topup_"), kind, amount_micros: amountMicros },
  });
  await ledger.reverse(reversal);
}

/** Before the step that ends what caused it: repeating an interrupted one raises it too, and it is raised once. */
async function raised(
  { database, clock }: Pick<CreditingDeps, "database" | "clock">,
  event: NewEvent,
): Promise<void> {
  if (await raisedOnce(database, openRaising(clock)(event))) database.raised?.();
}

async function isOurs({ query, tables: { organization } }: Database, id: string): Promise<boolean> {
  return (await query.select().from(organization).where(eq(organization.id, id))).length > 0;
}

async function isReversed({ query, tables }: Database, id: string): Promise<boolean> {
  const { creditReversal } = tables;
  return (await query.select().from(creditReversal).where(sql`id = ${id}`)).length > 0;
}

/** An invoice says it better: tax may be in the price. */
const taxMicros = (beyondMicros: number) =>
  sql`case when invoice_id is null then cast(${beyondMicros} as bigint) else tax_micros end`;

/** The net amount that the ledger has taken back, as a subquery. */
const reversedMicros = (topUpId: string) => sql`(
  select coalesce(sum(amount_micros), 0) from credit_reversal where grant_id = ${grantIdOf(topUpId)} and kind <> 'correction'
  and not exists (select 1 from credit_grant where credit_grant.id = 'grant_' || credit_reversal.id)
)`;
