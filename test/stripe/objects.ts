/** Stripe's objects with every field that its types demand; references are ids until they are expanded. */
import type Stripe from "stripe";
import { CARDS, type CardName } from "./cards.ts";
import type { Params } from "./form.ts";

const none = { livemode: false, metadata: {} };
const wordsOf = (params: Params) => (params.metadata ?? {}) as Record<string, string>;
const textOf = (params: Params, name: string): string | null => (params[name] as string | undefined) ?? null;

type Made = { id: string; created: number };

export function customerOf({ id, created }: Made, params: Params): Stripe.Customer {
  return {
    id,
    object: "customer",
    address: null,
    balance: 0,
    created,
    currency: null,
    customer_account: null,
    default_source: null,
    delinquent: false,
    description: textOf(params, "description"),
    discount: null,
    email: textOf(params, "email"),
    invoice_prefix: id.slice(-8).toUpperCase(),
    invoice_settings: {
      custom_fields: null,
      default_payment_method: null,
      footer: null,
      rendering_options: null,
    },
    name: textOf(params, "name"),
    phone: null,
    preferred_locales: [],
    shipping: null,
    tax_exempt: "none",
    test_clock: null,
    ...none,
    metadata: wordsOf(params),
  };
}

export function cardOf({ id, created }: Made, name: CardName, customer: string | null): Stripe.PaymentMethod {
  return {
    id,
    object: "payment_method",
    allow_redisplay: "limited",
    billing_details: { address: null, email: null, name: null, phone: null, tax_id: null },
    card: {
      brand: "visa",
      checks: null,
      country: "US",
      display_brand: "visa",
      exp_month: 12,
      exp_year: 2034,
      fingerprint: "Xt5EWLLDS7FJjR1c",
      funding: "credit",
      generated_from: null,
      last4: CARDS[name].slice(-4),
      networks: null,
      regulated_status: "unregulated",
      three_d_secure_usage: null,
      wallet: null,
    },
    created,
    customer,
    customer_account: null,
    type: "card",
    ...none,
  };
}

export function intentOf({ id, created }: Made, params: Params): Stripe.PaymentIntent {
  return {
    id,
    object: "payment_intent",
    allowed_payment_method_types: null,
    amount: Number(params.amount),
    amount_capturable: 0,
    amount_received: 0,
    application: null,
    application_fee_amount: null,
    automatic_payment_methods: null,
    canceled_at: null,
    cancellation_reason: null,
    capture_method: "automatic_async",
    client_secret: `${id}_secret_of_its_own`,
    confirmation_method: "automatic",
    created,
    currency: textOf(params, "currency") ?? "usd",
    customer: textOf(params, "customer"),
    customer_account: null,
    description: textOf(params, "description"),
    excluded_payment_method_types: null,
    last_payment_error: null,
    latest_charge: null,
    managed_payments: null,
    next_action: null,
    on_behalf_of: null,
    payment_method: textOf(params, "payment_method"),
    payment_method_configuration_details: null,
    payment_method_options: {},
    payment_method_types: ["card"],
    payment_record: null,
    processing: null,
    receipt_email: null,
    review: null,
    setup_future_usage: null,
    shipping: null,
    source: null,
    statement_descriptor: null,
    statement_descriptor_suffix: null,
    status: "requires_payment_method",
    transfer_data: null,
    transfer_group: null,
    ...none,
    metadata: wordsOf(params),
  };
}

export function chargeOf({ id, created }: Made, intent: Stripe.PaymentIntent, url: string): Stripe.Charge {
  return {
    id,
    object: "charge",
    amount: intent.amount,
    amount_captured: intent.amount,
    amount_refunded: 0,
    application: null,
    application_fee: null,
    application_fee_amount: null,
    balance_transaction: null,
    billing_details: { address: null, email: null, name: null, phone: null, tax_id: null },
    calculated_statement_descriptor: "LOQUAT",
    captured: true,
    created,
    currency: intent.currency,
    customer: intent.customer,
    description: intent.description,
    disputed: false,
    failure_balance_transaction: null,
    failure_code: null,
    failure_message: null,
    fraud_details: {},
    on_behalf_of: null,
    outcome: null,
    paid: true,
    payment_intent: intent.id,
    payment_method: intent.payment_method as string,
    payment_method_details: null,
    receipt_email: null,
    receipt_number: null,
    receipt_url: `${url}/receipts/${id}`,
    refunded: false,
    review: null,
    shipping: null,
    source: null,
    source_transfer: null,
    statement_descriptor: null,
    statement_descriptor_suffix: null,
    status: "succeeded",
    transfer_data: null,
    transfer_group: null,
    ...none,
    metadata: { ...intent.metadata },
  };
}

export function setupOf({ id, created }: Made, params: Params): Stripe.SetupIntent {
  return {
    id,
    object: "setup_intent",
    allowed_payment_method_types: null,
    application: null,
    automatic_payment_methods: null,
    cancellation_reason: null,
    client_secret: `${id}_secret_of_its_own`,
    created,
    customer: textOf(params, "customer"),
    description: null,
    excluded_payment_method_types: null,
    last_setup_error: null,
    latest_attempt: null,
    mandate: null,
    next_action: null,
    on_behalf_of: null,
    payment_method: null,
    payment_method_configuration_details: null,
    payment_method_options: {},
    payment_method_types: ["card"],
    single_use_mandate: null,
    status: "requires_payment_method",
    usage: "off_session",
    ...none,
    metadata: wordsOf((params.setup_intent_data ?? {}) as Params),
  };
}

export function refundOf(
  { id, created }: Made,
  charge: Stripe.Charge,
  { amount, status }: { amount: number; status: string },
): Stripe.Refund {
  return {
    id,
    object: "refund",
    amount,
    balance_transaction: null,
    charge: charge.id,
    created,
    currency: charge.currency,
    customer: charge.customer,
    customer_account: null,
    metadata: {},
    payment_intent: charge.payment_intent,
    payment_method: charge.payment_method,
    reason: "requested_by_customer",
    receipt_number: null,
    source_transfer_reversal: null,
    status,
    transfer_reversal: null,
  };
}

export function disputeOf({ id, created }: Made, charge: Stripe.Charge): Stripe.Dispute {
  return {
    id,
    object: "dispute",
    amount: charge.amount,
    balance_transactions: [],
    charge: charge.id,
    created,
    currency: charge.currency,
    enhanced_eligibility_types: [],
    evidence: {} as Stripe.Dispute.Evidence,
    evidence_details: {
      due_by: created + 604_800,
      enhanced_eligibility: {},
      has_evidence: false,
      past_due: false,
      submission_count: 0,
      submission_method: "manual" as never,
    },
    intended_submission_method: null,
    is_charge_refundable: false,
    payment_intent: charge.payment_intent,
    reason: "fraudulent",
    status: "needs_response",
    ...none,
  };
}

export function movementOf(
  { id, created }: Made,
  dispute: Stripe.Dispute,
  amount: number,
): Stripe.BalanceTransaction {
  return {
    id,
    object: "balance_transaction",
    amount,
    available_on: created,
    balance_type: "payments",
    created,
    currency: dispute.currency,
    description: `Chargeback ${amount < 0 ? "withdrawal" : "reversal"}`,
    exchange_rate: null,
    fee: amount < 0 ? 1500 : 0,
    fee_details: [],
    net: amount - (amount < 0 ? 1500 : 0),
    reporting_category: amount < 0 ? "dispute" : "dispute_reversal",
    source: dispute.id,
    status: "available",
    type: "adjustment",
  };
}
