/** The tables of billing: prices, cards, top-ups, and handled Stripe events. */
import { sql } from "drizzle-orm";
import type { Organizations } from "./account-tables.ts";
import type { Kit } from "./kit-sqlite.ts";

/** Of a refund of an invoice. */
type CreditNote = { id: string; number: string; amountMicros: number; pdfUrl: string; createdAt: number };

/** What operators have set that models cost, in place of the prices of their manifests. */
export function priceTables({ table, primaryKey, text, micros, seconds }: Kit) {
  const price = table(
    "price",
    {
      model: text().notNull(),
      /** It holds from then on, until a later one does. */
      validFrom: seconds("valid_from").notNull(),
      /** Of a million characters or seconds. */
      micros: micros("micros").notNull(),
      /** Of what is done in the background; null: the same. */
      backgroundMicros: micros("background_micros"),
      createdAt: seconds("created_at").notNull(),
    },
    (table) => [primaryKey({ columns: [table.model, table.validFrom] })],
  );
  return { price };
}

export function cardTables(
  { table, text, integer, seconds, micros, flag }: Kit,
  { organization }: Organizations,
) {
  const billingAccount = table("billing_account", {
    organizationId: text("organization_id")
      .primaryKey()
      .references(() => organization.id),
    customerId: text("customer_id").unique(),
    /** The last hosted page for saving a card, until its result is known. */
    setupSessionId: text("setup_session_id"),
    paymentMethodId: text("payment_method_id"),
    cardBrand: text("card_brand"),
    cardLast4: text("card_last4"),
    cardExpMonth: integer("card_exp_month"),
    cardExpYear: integer("card_exp_year"),
    /** The month of expiry that owners were told of, as 202611. */
    cardExpiryTold: integer("card_expiry_told"),
    rechargeEnabled: flag("recharge_enabled").notNull(),
    rechargeThresholdMicros: micros("recharge_threshold_micros").notNull(),
    rechargeTargetMicros: micros("recharge_target_micros").notNull(),
    /** Consecutive failures; the third switches auto-recharge off. */
    rechargeFailures: integer("recharge_failures").notNull(),
    /** Stripe's code of the last failure; null after a success. */
    rechargeProblem: text("recharge_problem"),
    /** The earliest time of the next attempt, in Unix seconds. */
    rechargeNotBefore: seconds("recharge_not_before").notNull(),
    /** The last failed top-up, so that each is counted once. */
    rechargeFailedId: text("recharge_failed_id"),
    /** Whether owners are told when the balance falls below a dollar: after auto-recharge was switched off, once. */
    lowBalanceDue: flag("low_balance_due").notNull().default(false),
    /** What a statement made of auto-recharge, until the event of it is written in the same transaction. */
    notice: text({ enum: ["declined", "switched_off", "refunded", "disputed", "card_removed"] }),
    /** This and the next two: of versions that sent the mail from this row. */
    noticeAttempts: integer("notice_attempts").notNull().default(0),
    noticeNotBefore: seconds("notice_not_before").notNull().default(0),
    noticeSentTo: text("notice_sent_to").notNull().default(""),
  });
  return { billingAccount };
}

export function voucherTables({ table, text, integer, seconds, micros }: Kit) {
  /** A code that is credit for the organization that redeems it first. */
  const voucher = table("voucher", {
    id: text().primaryKey(),
    /** SHA-256 of the code. */
    hash: text().notNull().unique(),
    amountMicros: micros("amount_micros").notNull(),
    /** How long it can be redeemed, and how long its credit lasts from then on; null: forever. */
    days: integer(),
    createdBy: text("created_by"),
    createdAt: seconds("created_at").notNull(),
    expiresAt: seconds("expires_at"),
    /** The organization, before it has the credit. */
    redeemedBy: text("redeemed_by"),
    redeemedAt: seconds("redeemed_at"),
    voidedAt: seconds("voided_at"),
  });
  return { voucher };
}

export function topUpTables(
  { table, index, uniqueIndex, text, seconds, micros, json }: Kit,
  { organization }: Organizations,
) {
  const topUp = table(
    "top_up",
    {
      id: text().primaryKey(),
      organizationId: text("organization_id")
        .notNull()
        .references(() => organization.id),
      kind: text({ enum: ["top_up", "auto_recharge"] }).notNull(),
      status: text({ enum: ["pending", "succeeded", "failed", "expired"] }).notNull(),
      /** What becomes credit. */
      amountMicros: micros("amount_micros").notNull(),
      /** Tax in what was paid: beyond the credit, or in it as the invoice says. */
      taxMicros: micros("tax_micros").notNull().default(0),
      /** What was paid; null of versions that did not note it: credit and tax. */
      totalMicros: micros("total_micros"),
      /** Stripe's invoice, if it made one, and what is known of it. */
      invoiceId: text("invoice_id"),
      invoiceNumber: text("invoice_number"),
      invoicePdfUrl: text("invoice_pdf_url"),
      creditNotes: json("credit_notes").$type<CreditNote[]>(),
      refundedMicros: micros("refunded_micros").notNull(),
      checkoutSessionId: text("checkout_session_id").unique(),
      checkoutUrl: text("checkout_url"),
      paymentIntentId: text("payment_intent_id").unique(),
      receiptUrl: text("receipt_url"),
      /** Stripe's code of the failure. */
      problem: text(),
      createdBy: text("created_by"),
      createdAt: seconds("created_at").notNull(),
      settledAt: seconds("settled_at"),
    },
    (table) => [
      index("top_up_by_organization").on(table.organizationId, table.createdAt),
      index("top_up_pending").on(table.createdAt).where(sql`status = 'pending'`),
      // one pending charge per organization
      uniqueIndex("top_up_in_flight")
        .on(table.organizationId)
        .where(sql`kind = 'auto_recharge' and status = 'pending'`),
    ],
  );

  /** Handled events: repeated deliveries are acknowledged and ignored. */
  const stripeEvent = table("stripe_event", {
    id: text().primaryKey(),
    type: text().notNull(),
    handledAt: seconds("handled_at").notNull(),
  });
  return { topUp, stripeEvent };
}
