/** The PostgreSQL tables of what is bought: cards, top-ups, and what Stripe told. */
import { sql } from "drizzle-orm";
import { bigint, boolean, index, integer, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { organization } from "./tables.ts";

const micros = (name: string) => bigint(name, { mode: "number" });
const seconds = (name: string) => bigint(name, { mode: "number" });

export const billingAccount = pgTable("billing_account", {
  organizationId: text("organization_id")
    .primaryKey()
    .references(() => organization.id),
  customerId: text("customer_id").unique(),
  /** The page for a card that was opened last, until it is known what came of it. */
  setupSessionId: text("setup_session_id"),
  paymentMethodId: text("payment_method_id"),
  cardBrand: text("card_brand"),
  cardLast4: text("card_last4"),
  cardExpMonth: integer("card_exp_month"),
  cardExpYear: integer("card_exp_year"),
  rechargeEnabled: boolean("recharge_enabled").notNull(),
  rechargeThresholdMicros: micros("recharge_threshold_micros").notNull(),
  rechargeTargetMicros: micros("recharge_target_micros").notNull(),
  /** In a row; the third switches it off. */
  rechargeFailures: integer("recharge_failures").notNull(),
  /** Why the last one failed, as Stripe names it; null after a success. */
  rechargeProblem: text("recharge_problem"),
  /** Unix seconds: not tried again before. */
  rechargeNotBefore: seconds("recharge_not_before").notNull(),
  /** The top-up that failed last: each is counted once. */
  rechargeFailedId: text("recharge_failed_id"),
});

export const topUp = pgTable(
  "top_up",
  {
    id: text().primaryKey(),
    organizationId: text("organization_id")
      .notNull()
      .references(() => organization.id),
    kind: text({ enum: ["top_up", "auto_recharge"] }).notNull(),
    status: text({ enum: ["pending", "succeeded", "failed", "expired"] }).notNull(),
    amountMicros: micros("amount_micros").notNull(),
    refundedMicros: micros("refunded_micros").notNull(),
    checkoutSessionId: text("checkout_session_id").unique(),
    checkoutUrl: text("checkout_url"),
    paymentIntentId: text("payment_intent_id").unique(),
    receiptUrl: text("receipt_url"),
    /** Why it failed, as Stripe names it. */
    problem: text(),
    createdBy: text("created_by"),
    createdAt: seconds("created_at").notNull(),
    settledAt: seconds("settled_at"),
  },
  (table) => [
    index("top_up_by_organization").on(table.organizationId, table.createdAt),
    index("top_up_pending").on(table.createdAt).where(sql`status = 'pending'`),
    // one charge in flight: whoever inserts the second is refused
    uniqueIndex("top_up_in_flight")
      .on(table.organizationId)
      .where(sql`kind = 'auto_recharge' and status = 'pending'`),
  ],
);

/** Events that were handled: a second delivery is answered and does nothing. */
export const stripeEvent = pgTable("stripe_event", {
  id: text().primaryKey(),
  type: text().notNull(),
  handledAt: seconds("handled_at").notNull(),
});
