/**
 * The Stripe client. Only the files named after it see Stripe's types, cents or errors.
 *
 * Every request that creates something carries an idempotency key, so that it can be retried.
 */
import Stripe from "stripe";
import type { StripeConfig } from "../config/stripe-settings.ts";
import { Refusal } from "../errors.ts";
import type { Payments, Reclaim } from "./payments.ts";
import { asked, each, faultOf, nullIfMissing } from "./stripe-calls.ts";
import { invoicesOf, linesOf } from "./stripe-invoices.ts";
import {
  CURRENCY,
  cardOf,
  cents,
  checkoutOf,
  disputeOf,
  metadataOf,
  paymentOf,
  problemOf,
  refundOf,
  webhookEventOf,
} from "./stripe-objects.ts";

const TIMEOUT_MS = 20_000;
const TOLERANCE_SECONDS = 300; // of a signature's age
const EXPAND = ["latest_charge"];

export function openPayments(config: StripeConfig): Payments {
  const stripe = new Stripe(config.key(), {
    ...placeOf(config.url),
    maxNetworkRetries: 2,
    timeout: TIMEOUT_MS,
    telemetry: false,
  });
  return {
    ...customersOf(stripe),
    ...pagesOf(stripe, config),
    ...chargesOf(stripe),
    ...readsOf(stripe),
    ...invoicesOf(stripe, config),
    verify: verifier(stripe, config),
  };
}

function placeOf(address: string | null) {
  if (address === null) return {};
  const { hostname, port, protocol } = new URL(address);
  const scheme = protocol === "https:" ? ("https" as const) : ("http" as const);
  return { host: hostname, port: port || (scheme === "https" ? 443 : 80), protocol: scheme };
}

function customersOf({ customers, paymentMethods }: Stripe) {
  return {
    async createCustomer({ organizationId, email, gone }) {
      const fields = { metadata: { organization_id: organizationId } }; // identical for every caller, as the idempotency key requires
      const idempotencyKey = `customer_${organizationId}${gone === null ? "" : `_after_${gone}`}`;
      const { id } = await asked(customers.create(fields, { idempotencyKey }));
      await asked(customers.update(id, { email }));
      return id;
    },
    async hasCustomer(id) {
      const customer = await nullIfMissing(customers.retrieve(id));
      return customer !== null && !customer.deleted;
    },
    setDefaultCard: async (customerId, cardId) =>
      void (await asked(
        customers.update(customerId, { invoice_settings: { default_payment_method: cardId } }),
      )),
    async detachCard(id) {
      const card = await nullIfMissing(paymentMethods.retrieve(id));
      if (card?.customer) await asked(paymentMethods.detach(id));
    },
  } satisfies Partial<Payments>;
}

function pagesOf({ checkout }: Stripe, config: StripeConfig) {
  return {
    async createCheckout({ amountMicros, customerId, expiresAt, successUrl, cancelUrl, ...purchase }) {
      const metadata = metadataOf({ ...purchase, amountMicros });
      const lines = linesOf(config);
      const price = {
        currency: CURRENCY,
        unit_amount: cents(amountMicros),
        product_data: { name: "Credit", ...lines.product },
        ...lines.price,
      };
      const session = {
        mode: "payment" as const,
        customer: customerId,
        client_reference_id: purchase.topUpId,
        line_items: [{ quantity: 1, price_data: price }],
        adaptive_pricing: { enabled: false }, // payments stay in dollars, as grants are
        payment_intent_data: { description: "Credit", metadata },
        ...(config.invoices && invoiceCreation(metadata)),
        ...lines.automatic,
        metadata,
        expires_at: expiresAt,
        success_url: successUrl,
        cancel_url: cancelUrl,
      };
      return checkoutOf(await asked(checkout.sessions.create(session, { idempotencyKey: purchase.topUpId })));
    },
    async createSetup({ organizationId, customerId, successUrl, cancelUrl }) {
      const metadata = { organization_id: organizationId };
      const session = await asked(
        checkout.sessions.create({
          mode: "setup",
          currency: CURRENCY,
          customer: customerId,
          allowed_payment_method_types: ["card"],
          setup_intent_data: { metadata },
          ...(config.invoices && { billing_address_collection: "required" as const }), // tax is computed from it
          metadata,
          success_url: successUrl,
          cancel_url: cancelUrl,
        }),
      );
      return checkoutOf(session);
    },
  } satisfies Partial<Payments>;
}

/** What a page asks the buyer for, so that an invoice can be made of the payment. */
const invoiceCreation = (metadata: Record<string, string>) => ({
  invoice_creation: { enabled: true, invoice_data: { description: "Credit", metadata } },
  billing_address_collection: "required" as const,
  tax_id_collection: { enabled: true },
  customer_update: { address: "auto" as const, name: "auto" as const },
});

function chargesOf({ paymentIntents }: Stripe) {
  return {
    async chargeCard({ amountMicros, customerId, cardId, ...purchase }) {
      const intent = {
        amount: cents(amountMicros),
        currency: CURRENCY,
        customer: customerId,
        payment_method: cardId,
        allowed_payment_method_types: ["card" as const],
        confirm: true,
        off_session: true,
        description: "Credit, recharged",
        metadata: metadataOf({ ...purchase, amountMicros }),
        expand: EXPAND,
      };
      try {
        const made = await paymentIntents.create(intent, { idempotencyKey: purchase.topUpId });
        return { payment: paymentOf(made) };
      } catch (error) {
        if (error instanceof Stripe.errors.StripeCardError && error.payment_intent)
          return { payment: paymentOf(error.payment_intent) };
        const { StripeCardError, StripeInvalidRequestError } = Stripe.errors;
        if (error instanceof StripeCardError || error instanceof StripeInvalidRequestError)
          return { refused: problemOf(error) ?? "invalid_request" };
        throw faultOf(error);
      }
    },
  } satisfies Partial<Payments>;
}

function readsOf(stripe: Stripe) {
  const { paymentIntents, paymentMethods, checkout, refunds, disputes } = stripe;
  const expand = ["payment_intent.latest_charge", "setup_intent.payment_method"];
  return {
    async readCheckout(id) {
      const session = await nullIfMissing(checkout.sessions.retrieve(id, { expand }));
      return session && checkoutOf(session);
    },
    async readPayment(id) {
      const intent = await nullIfMissing(paymentIntents.retrieve(id, { expand: EXPAND }));
      return intent && paymentOf(intent);
    },
    async readCard(id) {
      const card = await nullIfMissing(paymentMethods.retrieve(id));
      return card && cardOf(card);
    },
    async *payments({ customerId, since }) {
      const filter = { ...(customerId ? { customer: customerId } : {}), created: { gte: since } };
      const all = paymentIntents.list({ ...filter, limit: 100, expand: ["data.latest_charge"] });
      for await (const intent of each(all)) yield paymentOf(intent);
    },
    async reclaims(scope) {
      const filter =
        "since" in scope ? { created: { gte: scope.since } } : { payment_intent: scope.paymentId };
      const all: Reclaim[] = [];
      for await (const refund of each(refunds.list({ ...filter, limit: 100 }))) all.push(refundOf(refund));
      for await (const dispute of each(disputes.list({ ...filter, limit: 100 })))
        all.push(disputeOf(dispute));
      return all;
    },
  } satisfies Partial<Payments>;
}

function verifier({ webhooks }: Stripe, { webhookSecret }: StripeConfig): Payments["verify"] {
  return async (body, signature, nowMs) => {
    const limits = [TOLERANCE_SECONDS, undefined, nowMs] as const;
    try {
      return webhookEventOf(
        await webhooks.constructEventAsync(body, signature ?? "", webhookSecret(), ...limits),
      );
    } catch (cause) {
      const message = "The signature is invalid or too old.";
      throw new Refusal("invalid_signature", message, { cause });
    }
  };
}
