/**
 * Invoices at Stripe: charging a card by an invoice, credit notes, and a customer's billing details.
 *
 *   draft ──item──> finalized ──its payment is given our metadata──> paid        declined ──> void
 *
 * Each step has an idempotency key made of the top-up's id, so that a charge that was interrupted goes on where it was.
 * Stripe never collects an invoice by itself: what is not paid at once is voided.
 */
import Stripe from "stripe";
import type { StripeConfig } from "../config/stripe-settings.ts";
import { invalidInput } from "../errors.ts";
import { keyReused } from "../ledger/adjustment.ts";
import type { BillingDetails, Charge, Payments } from "./payments.ts";
import { asked, each, faultOf, nullIfMissing } from "./stripe-calls.ts";
import {
  creditNoteOf,
  detailsOf,
  invoiceOf,
  paymentOfInvoice,
  purchaseOf,
} from "./stripe-invoice-objects.ts";
import { CURRENCY, cents, metadataOf, paymentOf, problemOf } from "./stripe-objects.ts";

const EXPAND = ["payments"];
const PURCHASE_ORDER = "Purchase order";

/** How a line of credit is taxed. */
export function linesOf({ tax }: Pick<StripeConfig, "tax">) {
  if (tax === null) return { price: {}, product: {}, automatic: {} };
  return {
    price: { tax_behavior: "exclusive" as const },
    product: tax.code === null ? {} : { tax_code: tax.code },
    automatic: { automatic_tax: { enabled: true } },
  };
}

export function invoicesOf(stripe: Stripe, config: StripeConfig) {
  const { checkout, creditNotes, invoicePayments, invoices, refunds } = stripe;
  return {
    invoices: config.invoices,
    ...(config.invoices && { chargeCard: (charge: Charge) => chargeByInvoice(stripe, config, charge) }),
    async readInvoice(id) {
      const invoice = await nullIfMissing(invoices.retrieve(id));
      return invoice && invoiceOf(invoice);
    },
    async findInvoice({ checkoutId, paymentId }) {
      if (checkoutId !== null) {
        const session = await nullIfMissing(checkout.sessions.retrieve(checkoutId, { expand: ["invoice"] }));
        const invoice = session?.invoice;
        return invoice && typeof invoice === "object" ? invoiceOf(invoice) : null;
      }
      const payment = { type: "payment_intent" as const, payment_intent: paymentId };
      const { data } = await asked(invoicePayments.list({ payment, limit: 1, expand: ["data.invoice"] }));
      const invoice = data[0]?.invoice;
      return invoice && typeof invoice === "object" && !invoice.deleted ? invoiceOf(invoice) : null;
    },
    async creditNotes(invoice) {
      const all = [];
      for await (const note of each(creditNotes.list({ invoice, limit: 100 }))) all.push(creditNoteOf(note));
      return all.reverse();
    },
    async withdrawCharge({ customerId, topUpId, since }) {
      const found = invoices.list({ customer: customerId, created: { gte: since }, limit: 100 });
      for await (const invoice of each(found))
        if (purchaseOf(invoice.metadata ?? {})?.topUpId === topUpId) await withdraw(stripe, invoice);
    },
    async refund({ paymentId, invoiceId, amountMicros, idempotencyKey }) {
      const amount = cents(amountMicros);
      const key = { idempotencyKey };
      await refusingTooMuch(
        invoiceId === null
          ? refunds.create({ payment_intent: paymentId, amount }, key)
          : creditNotes.create({ invoice: invoiceId, amount, refund_amount: amount }, key),
      );
    },
    ...customerDetailsOf(stripe),
  } satisfies Partial<Payments> & { chargeCard?: Payments["chargeCard"] };
}

async function chargeByInvoice(
  stripe: Stripe,
  config: StripeConfig,
  charge: Charge,
): ReturnType<Payments["chargeCard"]> {
  const { topUpId, cardId } = charge;
  const { id, paymentId, refused } = await finalized(stripe, config, charge);
  if (paymentId === null) return { refused: refused ?? "invalid_request" };
  const payment = async () =>
    paymentOf(await asked(stripe.paymentIntents.retrieve(paymentId, { expand: ["latest_charge"] })));
  const paying = { payment_method: cardId, off_session: true };
  try {
    await stripe.invoices.pay(id, paying, { idempotencyKey: `${topUpId}_pay` });
    return { payment: await payment() };
  } catch (error) {
    if (!isDecline(error)) throw faultOf(error);
    const declined = await payment();
    if (declined.status !== "unpaid") return { payment: declined };
    await withdraw(stripe, await asked(stripe.invoices.retrieve(id)));
    return { payment: { ...declined, problem: reasonOf(error) } };
  }
}

/** An invoice that is ready to be paid, and its payment, which says what is bought; or why there is none. */
async function finalized(
  { invoices, invoiceItems, paymentIntents }: Stripe,
  config: StripeConfig,
  { customerId: customer, cardId, topUpId, ...purchase }: Charge,
): Promise<{ id: string; paymentId: string | null; refused?: string }> {
  const metadata = metadataOf({ ...purchase, topUpId });
  const description = "Credit, recharged";
  const under = (step: string) => ({ idempotencyKey: `${topUpId}${step}` });
  const { price, product, automatic } = linesOf(config);
  const draft = {
    ...{ customer, currency: CURRENCY, description, metadata, ...automatic },
    ...{ collection_method: "charge_automatically" as const, auto_advance: false },
    ...{ pending_invoice_items_behavior: "exclude" as const, default_payment_method: cardId },
    payment_settings: { payment_method_types: ["card" as const] },
  };
  const { id } = await asked(invoices.create(draft, under("")));
  const item = { customer, invoice: id, currency: CURRENCY, amount: cents(purchase.amountMicros) };
  await asked(invoiceItems.create({ ...item, description: "Credit", ...price, ...product }, under("_item")));
  try {
    const ready = await invoices.finalizeInvoice(
      id,
      { auto_advance: false, expand: EXPAND },
      under("_finalize"),
    );
    const paymentId = paymentOfInvoice(ready);
    if (paymentId !== null)
      await asked(paymentIntents.update(paymentId, { metadata, description }, under("_metadata")));
    return { id, paymentId };
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) throw faultOf(error);
    await withdraw({ invoices } as Stripe, await asked(invoices.retrieve(id)));
    return { id, paymentId: null, refused: problemOf(error) ?? "invalid_request" };
  }
}

/** A draft is deleted; what is open is voided; what is over stays. */
async function withdraw(
  { invoices }: Pick<Stripe, "invoices">,
  { id, status }: Stripe.Invoice,
): Promise<void> {
  if (status === "draft") await asked(invoices.del(id));
  if (status === "open") await asked(invoices.voidInvoice(id));
}

const isDecline = (error: unknown): error is Stripe.errors.StripeError =>
  error instanceof Stripe.errors.StripeCardError || error instanceof Stripe.errors.StripeInvalidRequestError;

const reasonOf = (error: Stripe.errors.StripeError) =>
  error.code === "invoice_payment_intent_requires_action"
    ? "authentication_required"
    : (problemOf(error as never) ?? "invalid_request");

async function refusingTooMuch(answer: Promise<unknown>): Promise<void> {
  try {
    await answer;
  } catch (error) {
    if (error instanceof Stripe.errors.StripeIdempotencyError)
      throw keyReused("was used for a different refund");
    if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) throw faultOf(error);
    throw invalidInput([{ field: "amount_micros", code: "out_of_range", message: error.message }]);
  }
}

function customerDetailsOf({ customers }: Stripe) {
  return {
    async readDetails(customerId) {
      const customer = await nullIfMissing(customers.retrieve(customerId, { expand: ["tax_ids"] }));
      return customer && !customer.deleted ? detailsOf(customer, PURCHASE_ORDER) : null;
    },
    async writeDetails(customerId, { company, email, purchaseOrder, address, taxId }) {
      const custom = purchaseOrder === null ? "" : [{ name: PURCHASE_ORDER, value: purchaseOrder }];
      await keepTaxId(customers, customerId, taxId);
      await asked(
        customers.update(customerId, {
          name: company ?? "",
          ...(email === null ? {} : { email }),
          address: address === null ? "" : addressIn(address),
          invoice_settings: { custom_fields: custom },
        }),
      );
    },
  } satisfies Partial<Payments>;
}

/** What is not said is left out. */
const addressIn = ({ postalCode, ...lines }: NonNullable<BillingDetails["address"]>) =>
  Object.fromEntries(
    Object.entries({ ...lines, postal_code: postalCode }).flatMap(([name, line]) =>
      line === null ? [] : [[name, line]],
    ),
  );

/** A customer has one at most. The new one is accepted before the old one goes. */
async function keepTaxId(
  customers: Stripe["customers"],
  customerId: string,
  taxId: { type: string; value: string } | null,
): Promise<void> {
  const before = (await asked(customers.listTaxIds(customerId, { limit: 100 }))).data;
  const isSame = ({ type, value }: Stripe.TaxId) => type === taxId?.type && value === taxId.value;
  if (taxId !== null && !before.some(isSame)) {
    try {
      await customers.createTaxId(customerId, taxId);
    } catch (error) {
      if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) throw faultOf(error);
      throw invalidInput([{ field: "tax_id", code: "malformed", message: error.message }]);
    }
  }
  for (const old of before) if (!isSame(old)) await asked(customers.deleteTaxId(customerId, old.id));
}
