/** Routes of credit and payment. What moves money needs an owner. */
import Type from "typebox";
import {
  AutoRecharge,
  BillingRecord,
  Flag,
  GrantRecord,
  InvoiceRecord,
  listOf,
  nullable,
  Text,
  TopUpRecord,
  Whole,
} from "./records.ts";
import type { Routes } from "./route.ts";

const Redirect = Type.Object({ url: Text });
const MAX_MICROS = 1_000_000_000;
/** Whole cents. */
const Amount = (minimum: number) => Type.Integer({ minimum, maximum: MAX_MICROS, multipleOf: 10_000 });

export const billingRoutes = {
  "GET /api/organizations/:organization/billing": {
    summary: "Balance, month, card, auto-recharge and prices",
    needs: "admin",
    reply: BillingRecord,
  },
  "GET /api/organizations/:organization/banner": {
    summary: "Whether credit is low or gone, for everybody who works here",
    needs: "member",
    reply: Type.Object({
      object: Type.Literal("banner"),
      banner: Type.Enum(["none", "low_balance", "out_of_credits", "spending_limit"]),
      balance_micros: Whole,
      recharge_problem: nullable(Text),
    }),
  },
  "GET /api/organizations/:organization/billing/grants": {
    summary: "Grants of credit, in the order they are spent, then those that are over",
    needs: "admin",
    reply: listOf(GrantRecord),
  },
  "GET /api/organizations/:organization/billing/top-ups": {
    summary: "Top-ups, newest first",
    needs: "admin",
    reply: listOf(TopUpRecord),
  },
  "POST /api/organizations/:organization/billing/top-ups": {
    summary: "Buy credit: the answer has the address of the hosted checkout. At most 5 may be pending",
    needs: "owner",
    status: 201,
    body: Type.Object({ amount_micros: Amount(5_000_000) }),
    reply: TopUpRecord,
  },
  "GET /api/organizations/:organization/billing/top-ups/:topUp": {
    summary: "A top-up; one that is pending is looked up at the payment service first",
    needs: "admin",
    reply: TopUpRecord,
  },
  "POST /api/organizations/:organization/billing/payment-method/setup": {
    summary: "Save a card: the answer has the address of the hosted page",
    needs: "owner",
    status: 201,
    reply: Redirect,
  },
  "DELETE /api/organizations/:organization/billing/payment-method": {
    summary: "Forget the card; auto-recharge goes off",
    needs: "owner",
  },
  "GET /api/organizations/:organization/billing/auto-recharge": {
    summary: "Auto-recharge",
    needs: "admin",
    reply: AutoRecharge,
  },
  "PUT /api/organizations/:organization/billing/auto-recharge": {
    summary:
      "Set auto-recharge; the target is at least $5 above the threshold. A refund or dispute switches it off",
    needs: "owner",
    body: Type.Object({
      enabled: Flag,
      threshold_micros: Amount(0),
      target_micros: Amount(5_000_000),
    }),
    reply: AutoRecharge,
  },
  "PUT /api/organizations/:organization/billing/spending-limit": {
    summary: "What a calendar month may cost; null for no limit",
    needs: "owner",
    body: Type.Object({ monthly_spending_limit_micros: nullable(Type.Integer({ minimum: 0 })) }),
    reply: BillingRecord,
  },
  "GET /api/organizations/:organization/billing/invoices": {
    summary: "Invoices, newest first",
    needs: "admin",
    reply: listOf(InvoiceRecord),
  },
  "GET /api/organizations/:organization/billing/invoices/:invoice": {
    summary: "An invoice",
    needs: "admin",
    reply: InvoiceRecord,
  },
  "GET /api/organizations/:organization/billing/invoices/:invoice/receipt": {
    summary: "On to the hosted receipt",
    needs: "admin",
    redirects: true,
    reply: Redirect,
  },
} as const satisfies Routes;
