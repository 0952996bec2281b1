/** The calls of Stripe's API that are stood in for, and what each may take: anything else is refused. */
import type { Fields, Spec } from "./form.ts";

const expand: Spec = { list: "text" };
const created: Spec = { fields: { gt: "integer", gte: "integer", lt: "integer", lte: "integer" } };
const page = { limit: "integer", starting_after: "text", ending_before: "text", expand } as const;
const one = { expand };
const methods: Spec = { list: ["card", "us_bank_account", "link"] };

const behavior: Spec = ["exclusive", "inclusive", "unspecified"];
const automatic: Spec = { fields: { "enabled!": "boolean" } };
const customFields: Spec = { list: { fields: { "name!": "text", "value!": "text" } } };

const price: Spec = {
  fields: {
    "currency!": ["usd"],
    "unit_amount!": "integer",
    "product_data!": { fields: { "name!": "text", description: "text", tax_code: "text" } },
    tax_behavior: behavior,
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
  invoice_creation: {
    fields: {
      "enabled!": "boolean",
      invoice_data: { fields: { description: "text", metadata: "words", custom_fields: customFields } },
    },
  },
  billing_address_collection: ["auto", "required"],
  tax_id_collection: { fields: { "enabled!": "boolean" } },
  customer_update: { fields: { address: ["auto", "never"], name: ["auto", "never"] } },
  automatic_tax: automatic,
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

const placeFields: Fields = {
  ...{ line1: "text", line2: "text", city: "text" },
  ...{ postal_code: "text", state: "text", country: "text" },
};

const customer: Fields = {
  email: "text",
  name: { emptyOr: "text" },
  description: "text",
  metadata: "words",
  address: { emptyOr: { fields: placeFields } },
  invoice_settings: { fields: { default_payment_method: "text", custom_fields: { emptyOr: customFields } } },
  expand,
};

const invoice: Fields = {
  customer: "text",
  currency: ["usd"],
  description: "text",
  metadata: "words",
  automatic_tax: automatic,
  collection_method: ["charge_automatically", "send_invoice"],
  auto_advance: "boolean",
  pending_invoice_items_behavior: ["exclude", "include"],
  default_payment_method: "text",
  payment_settings: { fields: { payment_method_types: methods } },
  expand,
};

const invoiceItem: Fields = {
  customer: "text",
  invoice: "text",
  currency: ["usd"],
  amount: "integer",
  description: "text",
  tax_behavior: behavior,
  tax_code: "text",
  expand,
};

const creditNote: Fields = {
  "invoice!": "text",
  amount: "integer",
  refund_amount: "integer",
  memo: "text",
  metadata: "words",
  expand,
};

/** By method and path, with an id where there is a star. */
export const CALLS: Record<string, Fields> = {
  "POST /v1/customers": customer,
  "GET /v1/customers/*": one,
  "POST /v1/customers/*": customer,
  "GET /v1/customers/*/tax_ids": page,
  "POST /v1/customers/*/tax_ids": {
    "type!": ["eu_vat", "gb_vat", "us_ein", "ch_vat"],
    "value!": "text",
    expand,
  },
  "DELETE /v1/customers/*/tax_ids/*": {},
  "POST /v1/invoices": invoice,
  "GET /v1/invoices": { ...page, customer: "text", created, status: ["draft", "open", "paid", "void"] },
  "GET /v1/invoices/*": one,
  "DELETE /v1/invoices/*": {},
  "POST /v1/invoices/*/finalize": { auto_advance: "boolean", expand },
  "POST /v1/invoices/*/pay": { payment_method: "text", off_session: "boolean", expand },
  "POST /v1/invoices/*/void": one,
  "POST /v1/invoiceitems": invoiceItem,
  "GET /v1/invoice_payments": {
    ...page,
    invoice: "text",
    payment: { fields: { "type!": ["payment_intent"], payment_intent: "text" } },
  },
  "POST /v1/credit_notes": creditNote,
  "GET /v1/credit_notes": { ...page, invoice: "text", customer: "text" },
  "POST /v1/refunds": {
    payment_intent: "text",
    charge: "text",
    amount: "integer",
    metadata: "words",
    expand,
  },
  "POST /v1/payment_intents/*": { description: "text", metadata: "words", expand },
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
