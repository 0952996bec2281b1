/** The calls of Stripe's API that are stood in for, and what each may take: anything else is refused. */
import type { Fields, Spec } from "./form.ts";

const expand: Spec = { list: "text" };
const created: Spec = { fields: { gt: "integer", gte: "integer", lt: "integer", lte: "integer" } };
const page = { limit: "integer", starting_after: "text", ending_before: "text", expand } as const;
const one = { expand };
const methods: Spec = { list: ["card", "us_bank_account", "link"] };

const price: Spec = {
  fields: {
    "currency!": ["usd"],
    "unit_amount!": "integer",
    "product_data!": { fields: { "name!": "text", description: "text" } },
  },
};

const session: Fields = {
  "mode!": ["payment", "setup", "subscription"],
  currency: ["usd"],
  customer: "text",
  customer_email: "text",
  client_reference_id: "text",
  line_items: { list: { fields: { "quantity!": "integer", "price_data!": price } } },
  adaptive_pricing: { fields: { enabled: "boolean" } },
  allowed_payment_method_types: methods,
  payment_intent_data: {
    fields: { description: "text", metadata: "words", setup_future_usage: ["off_session", "on_session"] },
  },
  setup_intent_data: { fields: { description: "text", metadata: "words" } },
  metadata: "words",
  expires_at: "integer",
  success_url: "text",
  cancel_url: "text",
  expand,
};

const intent: Fields = {
  "amount!": "integer",
  "currency!": ["usd"],
  customer: "text",
  payment_method: "text",
  allowed_payment_method_types: methods,
  confirm: "boolean",
  off_session: "boolean",
  description: "text",
  metadata: "words",
  expand,
};

const customer: Fields = {
  email: "text",
  name: "text",
  description: "text",
  metadata: "words",
  invoice_settings: { fields: { default_payment_method: "text" } },
  expand,
};

/** By method and path, with an id where there is a star. */
export const CALLS: Record<string, Fields> = {
  "POST /v1/customers": customer,
  "GET /v1/customers/*": one,
  "POST /v1/customers/*": customer,
  "POST /v1/checkout/sessions": session,
  "GET /v1/checkout/sessions/*": one,
  "POST /v1/payment_intents": intent,
  "GET /v1/payment_intents": { ...page, customer: "text", created },
  "GET /v1/payment_intents/*": one,
  "GET /v1/setup_intents/*": one,
  "GET /v1/payment_methods/*": one,
  "POST /v1/payment_methods/*/detach": one,
  "GET /v1/charges/*": one,
  "GET /v1/refunds": { ...page, charge: "text", payment_intent: "text", created },
  "GET /v1/disputes": { ...page, charge: "text", payment_intent: "text", created },
};
