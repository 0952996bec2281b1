/**
 * Converts Stripe's objects. Only the fields that are read are typed. A reference is an id, or the expanded object.
 */
import type { Card, Checkout, Payment, Purchase, Reclaim, WebhookEvent } from "./payments.ts";

export const CURRENCY = "usd";
const MICROS_PER_CENT = 10_000;
const KINDS: Record<string, "checkout" | "payment" | "card" | "invoice"> = {
  "checkout.session": "checkout",
  payment_intent: "payment",
  payment_method: "card",
  invoice: "invoice",
};

export type Reference<T> = string | (T & { id: string }) | null;
type Words = Record<string, string>;
type Refusal = { code?: string; decline_code?: string };
type ChargeObject = {
  created: number;
  receipt_url: string | null;
  amount_refunded: number;
  disputed: boolean;
};
type IntentObject = {
  id: string;
  status: string;
  amount: number;
  amount_received: number;
  currency: string;
  created: number;
  metadata: Words;
  last_payment_error: Refusal | null;
  latest_charge: Reference<ChargeObject>;
};
type CardObject = {
  id: string;
  created: number;
  customer: Reference<object>;
  card?: { brand: string; last4: string; exp_month: number; exp_year: number };
};
type SessionObject = {
  id: string;
  url: string | null;
  mode: string;
  status: string | null;
  metadata: Words | null;
  payment_intent: Reference<IntentObject>;
  setup_intent: Reference<{ payment_method: Reference<CardObject> }>;
};
type RefundObject = {
  id: string;
  amount: number;
  created: number;
  status: string | null;
  payment_intent: Reference<object>;
};
type DisputeObject = Omit<RefundObject, "status"> & { balance_transactions: { amount: number }[] };
type EventObject = { id: string; type: string; data: { object: object } };

export const cents = (micros: number) => Math.round(micros / MICROS_PER_CENT);
export const micros = (amount: number) => amount * MICROS_PER_CENT;

/** It comes back with the payment, whose amount may have tax on top of the credit. */
export const metadataOf = (purchase: Purchase & { amountMicros: number }) => ({
  top_up_id: purchase.topUpId,
  organization_id: purchase.organizationId,
  kind: purchase.kind,
  credit_cents: String(cents(purchase.amountMicros)),
});

/** The issuer's reason, if it is more specific than a decline. */
export function problemOf({ code, decline_code: reason }: Refusal): string | null {
  if (code === "card_declined" && reason && reason !== "generic_decline") return reason;
  return code ?? null;
}

export const idOf = (reference: Reference<object> | undefined): string | null =>
  typeof reference === "string" ? reference : (reference?.id ?? null);

/** Null if the reference is not expanded. */
const whole = <T>(reference: Reference<T> | undefined): T | null =>
  typeof reference === "string" ? null : (reference ?? null);

export function purchaseOf(metadata: Words): Purchase | null {
  const { top_up_id: topUpId, organization_id: organizationId, kind } = metadata;
  if (!topUpId || !organizationId) return null;
  return { topUpId, organizationId, kind: kind === "auto_recharge" ? kind : "top_up" };
}

/** All that was received, where an earlier version did not say what was bought: it took no tax. */
function creditOf({ metadata, amount_received: received }: IntentObject): number {
  const bought = Number(metadata.credit_cents);
  return micros(bought > 0 ? Math.min(bought, received) : received);
}

export function paymentOf(intent: IntentObject): Payment {
  const { id, status, last_payment_error: error } = intent;
  const charge = whole(intent.latest_charge);
  const needsPerson = status === "requires_action" ? "authentication_required" : null;
  const known = ["succeeded", "processing", "canceled"] as const;
  const isInDollars = intent.currency === CURRENCY;
  return {
    id,
    purchase: purchaseOf(intent.metadata),
    status: known.find((name) => name === status) ?? "unpaid",
    amountMicros: micros(intent.amount),
    receivedMicros: isInDollars ? micros(intent.amount_received) : null,
    creditMicros: isInDollars ? creditOf(intent) : null,
    problem: (error && problemOf(error)) ?? needsPerson,
    createdAt: intent.created,
    paidAt: charge?.created ?? intent.created,
    receiptUrl: charge?.receipt_url ?? null,
    contested: charge !== null && (charge.amount_refunded > 0 || charge.disputed),
  };
}

export function cardOf({ id, customer, card, created }: CardObject): Card {
  return {
    id,
    customerId: idOf(customer),
    brand: card?.brand ?? "card",
    last4: card?.last4 ?? "",
    expMonth: card?.exp_month ?? 0,
    expYear: card?.exp_year ?? 0,
    createdAt: created,
  };
}

export function checkoutOf(session: SessionObject): Checkout {
  const payment = whole(session.payment_intent);
  const card = whole(whole(session.setup_intent)?.payment_method);
  return {
    id: session.id,
    url: session.url,
    status: (["complete", "expired"] as const).find((name) => name === session.status) ?? "open",
    isSetup: session.mode === "setup",
    organizationId: session.metadata?.organization_id ?? null,
    topUpId: session.metadata?.top_up_id ?? null,
    payment: payment && paymentOf(payment),
    card: card && cardOf(card),
  };
}

export function refundOf({ id, amount, created, status, payment_intent }: RefundObject): Reclaim {
  return {
    id,
    kind: "refund",
    paymentId: idOf(payment_intent),
    amountMicros: micros(amount),
    createdAt: created,
    taken: status === "succeeded",
    returned: status === "failed" || status === "canceled",
  };
}

/** Inquiries move no money, so a dispute's amounts are read from its balance transactions. */
export function disputeOf({
  id,
  amount,
  created,
  balance_transactions,
  payment_intent,
}: DisputeObject): Reclaim {
  return {
    id,
    kind: "dispute",
    paymentId: idOf(payment_intent),
    amountMicros: micros(amount),
    createdAt: created,
    taken: balance_transactions.some((moved) => moved.amount < 0),
    returned: balance_transactions.some((moved) => moved.amount > 0),
  };
}

/** Refunds, disputes and charges refer to their payment, credit notes to their invoice. */
export function webhookEventOf({ id, type, data }: EventObject): WebhookEvent {
  const object = data.object as {
    id: string;
    object: string;
    payment_intent?: string | { id: string } | null;
    invoice?: string | { id: string } | null;
  };
  const invoice = object.object === "credit_note" ? idOf(object.invoice) : null;
  if (invoice !== null) return { id, type, about: { object: "invoice", id: invoice } };
  const kind = KINDS[object.object];
  if (kind) return { id, type, about: { object: kind, id: object.id } };
  const payment = idOf(object.payment_intent);
  return { id, type, about: payment === null ? null : { object: "payment", id: payment } };
}
