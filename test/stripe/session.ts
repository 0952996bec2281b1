/** A Checkout Session with every field that Stripe's types demand. */
import type Stripe from "stripe";
import { type Params, Refusal } from "./form.ts";

const MIN_SECONDS = 30 * 60;
const MAX_SECONDS = 24 * 3600;
const LEAST_CENTS = 50;

/** What the combination of parameters must keep to, beyond each one's type. */
function checkSession(params: Params, created: number): void {
  const refuse = (param: string, message: string) => {
    throw new Refusal(400, { message, param });
  };
  const { mode, line_items: items, success_url: successUrl, expires_at: expiresAt } = params;
  if (!successUrl) refuse("success_url", "Missing required param: success_url.");
  for (const name of ["success_url", "cancel_url"])
    if (params[name] && !URL.canParse(params[name] as string)) refuse(name, "Not a valid URL");
  if (expiresAt !== undefined) {
    const seconds = Number(expiresAt) - created;
    if (seconds < MIN_SECONDS || seconds > MAX_SECONDS)
      refuse("expires_at", "The `expires_at` timestamp must be between 30 minutes and 24 hours from now.");
  }
  if (params.customer && params.customer_email)
    refuse("customer_email", "You may only specify one of these parameters: customer, customer_email.");
  if (mode === "payment" && !Array.isArray(items))
    refuse("line_items", "You must provide `line_items` in `payment` mode.");
  if (mode === "payment" && params.setup_intent_data)
    refuse("setup_intent_data", "You can not pass `setup_intent_data` in `payment` mode.");
  if (mode === "payment" && totalOf(params) < LEAST_CENTS)
    refuse("line_items", "The Checkout Session's total amount due must add up to at least $0.50 usd");
  if (params.customer_update && !params.customer)
    refuse("customer_update", "`customer_update` can only be used with `customer`.");
  if (params.tax_id_collection && params.customer && !isUpdatingName(params))
    refuse(
      "tax_id_collection",
      "Tax ID collection needs `customer_update[name]` to be `auto` for this customer.",
    );
  if (mode !== "setup") return;
  for (const name of ["invoice_creation", "tax_id_collection", "customer_update", "automatic_tax"])
    if (params[name]) refuse(name, `You can not pass \`${name}\` in \`setup\` mode.`);
  if (items) refuse("line_items", "You can not pass `line_items` in `setup` mode.");
  if (params.payment_intent_data)
    refuse("payment_intent_data", "You can not pass `payment_intent_data` in `setup` mode.");
  if (!params.currency) refuse("currency", "`currency` is required in `setup` mode.");
}

const isUpdatingName = ({ customer_update: update }: Params) =>
  (update as { name?: string } | undefined)?.name === "auto";

function totalOf({ line_items: items }: Params): number {
  const each = (items ?? []) as { quantity: string; price_data: { unit_amount: string } }[];
  return each.reduce((sum, item) => sum + Number(item.quantity) * Number(item.price_data.unit_amount), 0);
}

/** Fields of options that were not requested. */
const UNASKED = {
  after_expiration: null,
  allow_promotion_codes: null,
  allowed_payment_method_types: null,
  billing_address_collection: null,
  client_secret: null,
  collected_information: null,
  consent: null,
  consent_collection: null,
  currency_conversion: null,
  customer_account: null,
  customer_creation: null,
  customer_details: null,
  discounts: null,
  integration_identifier: null,
  invoice: null,
  locale: null,
  managed_payments: null,
  origin_context: null,
  payment_intent: null,
  payment_link: null,
  payment_method_configuration_details: null,
  permissions: null,
  recovered_from: null,
  saved_payment_method_options: null,
  shipping_address_collection: null,
  shipping_cost: null,
  submit_type: null,
  subscription: null,
  total_details: null,
  wallet_options: null,
};

function creationOf({ invoice_creation: asked }: Params): Stripe.Checkout.Session.InvoiceCreation {
  const { enabled, invoice_data: data } = (asked ?? {}) as Params;
  const none = {
    account_tax_ids: null,
    custom_fields: null,
    footer: null,
    issuer: null,
    rendering_options: null,
  };
  const { description = null, metadata = null } = (data ?? {}) as Record<string, never>;
  return { enabled: enabled === "true", invoice_data: { ...none, description, metadata } };
}

type Made = { id: string; created: number; url: string; setupIntentId: string | null };

export function sessionOf(made: Made, params: Params): Stripe.Checkout.Session {
  const { id, created, url, setupIntentId } = made;
  checkSession(params, created);
  const isPayment = params.mode === "payment";
  const amount = isPayment ? totalOf(params) : null;
  const text = (name: string) => (params[name] as string | undefined) ?? null;
  return {
    ...UNASKED,
    id,
    object: "checkout.session",
    invoice_creation: isPayment ? creationOf(params) : null,
    adaptive_pricing: { enabled: false },
    amount_subtotal: amount,
    amount_total: amount,
    automatic_tax: {
      enabled: (params.automatic_tax as Params | undefined)?.enabled === "true",
      ...{ liability: null, provider: null, status: null },
    },
    cancel_url: text("cancel_url"),
    client_reference_id: text("client_reference_id"),
    created,
    currency: isPayment ? "usd" : text("currency"),
    custom_fields: [],
    custom_text: {} as Stripe.Checkout.Session.CustomText,
    customer: text("customer"),
    customer_email: text("customer_email"),
    expires_at: Number(params.expires_at ?? created + MAX_SECONDS),
    livemode: false,
    metadata: (params.metadata ?? {}) as Record<string, string>,
    mode: isPayment ? "payment" : "setup",
    payment_method_collection: "if_required",
    payment_method_options: {},
    payment_method_types: ["card"],
    payment_status: isPayment ? "unpaid" : "no_payment_required",
    setup_intent: setupIntentId,
    shipping_options: [],
    status: "open",
    success_url: text("success_url"),
    ui_mode: "hosted_page",
    url,
  };
}
