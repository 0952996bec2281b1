/** Routes of credit and payments. Changes that move money require an owner. */
import Type from "typebox";
import { BillingDetailsFields, BillingDetailsRecord, InvoiceRecord, TopUpRecord } from "./payment-records.ts";
import { AutoRecharge, BillingRecord, Flag, GrantRecord, listOf, nullable, Text, Whole } from "./records.ts";
import type { Routes } from "./route.ts";

const Redirect = Type.Object({ url: Text });
const MAX_MICROS = 1_000_000_000;
/** Whole cents. */
const Amount = (minimum: number) => Type.Integer({ minimum, maximum: MAX_MICROS, multipleOf: 10_000 });

export const billingRoutes = {
  "GET /api/organizations/:organization/billing": {
    summary: "Get balance, month to date, card, auto-recharge and prices",
    needs: "admin",
    reply: BillingRecord,
  },
  "GET /api/organizations/:organization/banner": {
    summary: "Get the warning about credit or suspension shown to all members",
    needs: "member",
    reply: Type.Object({
      object: Type.Literal("banner"),
      banner: Type.Enum([
        "none",
        "suspended",
        "about_to_be_deleted",
        "low_balance",
        "out_of_credits",
        "spending_limit",
      ]),
      balance_micros: Whole,
      recharge_problem: nullable(Text),
      /** Whether payments are enabled on this server. */
      payments: Flag,
    }),
  },
  "GET /api/organizations/:organization/billing/grants": {
    summary: "List credit grants in burn order, then used-up and expired ones",
    needs: "admin",
    reply: listOf(GrantRecord),
  },
  "GET /api/organizations/:organization/billing/top-ups": {
    summary: "List top-ups, newest first",
    needs: "admin",
    reply: listOf(TopUpRecord),
  },
  "POST /api/organizations/:organization/billing/top-ups": {
    summary: "Start a top-up; returns the URL of the hosted checkout. At most 5 may be pending",
    needs: "owner",
    confirms: true,
    status: 201,
    body: Type.Object({ amount_micros: Amount(5_000_000) }),
    reply: TopUpRecord,
  },
  "GET /api/organizations/:organization/billing/top-ups/:topUp": {
    summary: "Retrieve a top-up; a pending one is refreshed from the payment service",
    needs: "admin",
    reply: TopUpRecord,
  },
  "POST /api/organizations/:organization/billing/payment-method/setup": {
    summary: "Set up a card; returns the URL of the hosted page",
    needs: "owner",
    confirms: true,
    status: 201,
    reply: Redirect,
  },
  "DELETE /api/organizations/:organization/billing/payment-method": {
    summary: "Remove the card and switch auto-recharge off",
    needs: "owner",
    confirms: true,
  },
  "GET /api/organizations/:organization/billing/auto-recharge": {
    summary: "Get auto-recharge settings",
    needs: "admin",
    reply: AutoRecharge,
  },
  "PUT /api/organizations/:organization/billing/auto-recharge": {
    summary:
      "Update auto-recharge; the target is at least $5 above the threshold. A refund or dispute switches it off",
    needs: "owner",
    confirms: true,
    body: Type.Object({
      enabled: Flag,
      threshold_micros: Amount(0),
      target_micros: Amount(5_000_000),
    }),
    reply: AutoRecharge,
  },
  "PUT /api/organizations/:organization/billing/spending-limit": {
    summary: "Set the monthly spending limit; null for none",
    needs: "owner",
    confirms: true,
    body: Type.Object({ monthly_spending_limit_micros: nullable(Type.Integer({ minimum: 0 })) }),
    reply: BillingRecord,
  },
  "PUT /api/organizations/:organization/billing/balance-alert": {
    summary: "Have owners told once the balance falls below an amount; null for never",
    needs: "owner",
    body: Type.Object({
      balance_alert_micros: nullable(Type.Integer({ minimum: 10_000, maximum: 1e12 })),
      /** Who is told besides the owners; left out: as before. */
      balance_alert_recipients: Type.Optional(
        Type.Array(Type.String({ minLength: 3, maxLength: 254 }), { maxItems: 20 }),
      ),
    }),
    reply: BillingRecord,
  },
  "GET /api/organizations/:organization/billing/invoices": {
    summary: "List invoices, newest first",
    needs: "admin",
    reply: listOf(InvoiceRecord),
  },
  "GET /api/organizations/:organization/billing/invoices/:invoice": {
    summary: "Retrieve an invoice",
    needs: "admin",
    reply: InvoiceRecord,
  },
  "GET /api/organizations/:organization/billing/invoices/:invoice/receipt": {
    summary: "Redirect to the invoice, or to the hosted receipt of a payment without one",
    needs: "admin",
    redirects: true,
    reply: Redirect,
  },
  "GET /api/organizations/:organization/billing/details": {
    summary: "Get company, address, tax id, purchase order and mail address of invoices, as Stripe has them",
    needs: "admin",
    reply: BillingDetailsRecord,
  },
  "PUT /api/organizations/:organization/billing/details": {
    summary: "Replace company, address, tax id, purchase order and mail address of invoices",
    needs: "owner",
    body: BillingDetailsFields,
    reply: BillingDetailsRecord,
  },
} as const satisfies Routes;
