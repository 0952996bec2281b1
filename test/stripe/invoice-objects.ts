/** Stripe's invoices, credit notes and tax ids with every field that its types demand. */
import type Stripe from "stripe";
import type { Params } from "./form.ts";

type Made = { id: string; created: number };
type Text = string | null;

const textOf = (params: Params, name: string): Text => (params[name] as string | undefined) ?? null;
const listOf = <T>(data: T[], url: string) => ({ object: "list" as const, data, has_more: false, url });

/** Parts of options that are not stood in for. */
const UNASKED = {
  account_tax_ids: null,
  account_country: "DE",
  account_name: "Loquat",
  amount_overpaid: 0,
  amount_shipping: 0,
  application: null,
  automatically_finalizes_at: null,
  custom_fields: null,
  customer_account: null,
  customer_phone: null,
  customer_shipping: null,
  customer_tax_exempt: "none",
  default_source: null,
  default_tax_rates: [],
  discounts: [],
  due_date: null,
  ending_balance: null,
  footer: null,
  from_invoice: null,
  issuer: { type: "self" },
  last_finalization_error: null,
  latest_revision: null,
  livemode: false,
  next_payment_attempt: null,
  on_behalf_of: null,
  parent: null,
  payment_settings: { default_mandate: null, payment_method_options: null, payment_method_types: null },
  post_payment_credit_notes_amount: 0,
  pre_payment_credit_notes_amount: 0,
  receipt_number: null,
  rendering: null,
  shipping_cost: null,
  shipping_details: null,
  starting_balance: 0,
  statement_descriptor: null,
  test_clock: null,
  total_discount_amounts: null,
  total_pretax_credit_amounts: null,
  webhooks_delivered_at: null,
} as const;

export function draftOf({ id, created }: Made, params: Params, customer: Stripe.Customer): Stripe.Invoice {
  const { enabled } = (params.automatic_tax ?? {}) as { enabled?: string };
  return {
    ...(structuredClone(UNASKED) as never as Stripe.Invoice),
    id,
    object: "invoice",
    amount_due: 0,
    amount_paid: 0,
    amount_remaining: 0,
    attempt_count: 0,
    attempted: false,
    auto_advance: params.auto_advance !== "false",
    automatic_tax: {
      disabled_reason: null,
      enabled: enabled === "true",
      liability: null,
      provider: null,
      status: null,
    },
    billing_reason: "manual",
    collection_method: params.collection_method === "send_invoice" ? "send_invoice" : "charge_automatically",
    created,
    currency: "usd",
    customer: customer.id,
    customer_address: customer.address ?? null,
    customer_email: customer.email,
    customer_name: customer.name ?? null,
    default_payment_method: textOf(params, "default_payment_method"),
    description: textOf(params, "description"),
    effective_at: null,
    hosted_invoice_url: null,
    invoice_pdf: null,
    lines: listOf<Stripe.InvoiceLineItem>([], `/v1/invoices/${id}/lines`) as Stripe.Invoice["lines"],
    metadata: (params.metadata ?? {}) as Record<string, string>,
    number: null,
    payments: listOf<Stripe.InvoicePayment>([], "/v1/invoice_payments") as never,
    period_end: created,
    period_start: created,
    status: "draft",
    status_transitions: { finalized_at: null, marked_uncollectible_at: null, paid_at: null, voided_at: null },
    subtotal: 0,
    subtotal_excluding_tax: 0,
    total: 0,
    total_excluding_tax: 0,
    total_taxes: [],
  };
}

export function lineOf(
  { id, created }: Made,
  invoice: Stripe.Invoice,
  amount: number,
): Stripe.InvoiceLineItem {
  return {
    id,
    object: "line_item",
    amount,
    currency: "usd",
    description: "Credit",
    discount_amounts: [],
    discountable: true,
    discounts: [],
    invoice: invoice.id!,
    livemode: false,
    metadata: {},
    parent: null,
    period: { start: created, end: created },
    pretax_credit_amounts: [],
    pricing: null,
    quantity: 1,
    quantity_decimal: null,
    subscription: null,
    subtotal: amount,
    taxes: [],
  };
}

export function invoicePaymentOf(
  { id, created }: Made,
  invoice: Stripe.Invoice,
  intent: string,
): Stripe.InvoicePayment {
  return {
    id,
    object: "invoice_payment",
    amount_paid: null,
    amount_requested: invoice.total,
    created,
    currency: "usd",
    invoice: invoice.id!,
    is_default: true,
    livemode: false,
    payment: { payment_intent: intent, type: "payment_intent" },
    status: "open",
    status_transitions: { canceled_at: null, paid_at: null },
  };
}

type Noted = {
  amount: number;
  taxes: Stripe.CreditNote.TotalTax[];
  refundId: Text;
  count: number;
  pdf: string;
};

export function creditNoteOf(
  { id, created }: Made,
  invoice: Stripe.Invoice,
  { amount, taxes, refundId, count, pdf }: Noted,
): Stripe.CreditNote {
  const tax = taxes.reduce((sum, one) => sum + one.amount, 0);
  return {
    id,
    object: "credit_note",
    amount,
    amount_shipping: 0,
    created,
    currency: "usd",
    customer: invoice.customer as string,
    customer_account: null,
    customer_balance_transaction: null,
    discount_amount: 0,
    discount_amounts: [],
    effective_at: created,
    invoice: invoice.id!,
    lines: listOf<Stripe.CreditNoteLineItem>(
      [],
      `/v1/credit_notes/${id}/lines`,
    ) as Stripe.CreditNote["lines"],
    livemode: false,
    memo: null,
    metadata: {},
    number: `${invoice.number}-CN-${String(count).padStart(2, "0")}`,
    out_of_band_amount: null,
    pdf,
    post_payment_amount: amount,
    pre_payment_amount: 0,
    pretax_credit_amounts: [],
    reason: null,
    refunds:
      refundId === null
        ? []
        : [{ amount_refunded: amount, payment_record_refund: null, refund: refundId, type: "refund" }],
    shipping_cost: null,
    status: "issued",
    subtotal: amount - tax,
    subtotal_excluding_tax: amount - tax,
    total: amount,
    total_excluding_tax: amount - tax,
    total_taxes: taxes,
    type: "post_payment",
    voided_at: null,
  };
}

export function taxIdOf({ id, created }: Made, customer: string, params: Params): Stripe.TaxId {
  const value = String(params.value);
  return {
    id,
    object: "tax_id",
    country: value.slice(0, 2),
    created,
    customer,
    customer_account: null,
    livemode: false,
    owner: { type: "customer", customer, customer_account: null },
    type: String(params.type) as Stripe.TaxId["type"],
    value,
    verification: { status: "verified", verified_address: null, verified_name: null },
  };
}
