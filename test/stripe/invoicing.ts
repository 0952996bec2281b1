/** What happens at Stripe to invoices: made of a paid page, or drafted, finalized and paid; and credit notes of them. */
import type Stripe from "stripe";
import { type Decline, declineOf } from "./cards.ts";
import { type Params, Refusal } from "./form.ts";
import * as make from "./invoice-objects.ts";
import type { Thing } from "./object-store.ts";
import { intentOf } from "./objects.ts";
import { openReclaims } from "./reclaims.ts";
import type { Till } from "./till.ts";

type Invoice = Stripe.Invoice & Thing;
type Intent = Stripe.PaymentIntent & Thing;
type Session = Stripe.Checkout.Session;
type Charging = {
  succeed: (till: Till, intent: Stripe.PaymentIntent) => void;
  decline: (till: Till, intent: Stripe.PaymentIntent, why: Decline) => void;
};

const refuse = (message: string, more: Record<string, unknown> = {}): never => {
  throw new Refusal(400, { message, ...more });
};

/** Tax on or in a price. A business in another country owes it itself. */
export function taxOf({ objectStore, tax }: Till, subtotal: number, customer: unknown) {
  const { percent, isInclusive, seller } = tax;
  const ids = objectStore.all<Stripe.TaxId & Thing>("tax_id").filter((one) => one.customer === customer);
  const isReverse = percent > 0 && ids.some(({ country }) => country !== seller);
  const share = isReverse ? 0 : isInclusive ? percent / (100 + percent) : percent / 100;
  const amount = Math.round(subtotal * share);
  return { amount, isReverse, total: subtotal + (isInclusive ? 0 : amount) };
}

function priced(till: Till, invoice: Stripe.Invoice, subtotal: number): void {
  const { percent, isInclusive } = till.tax;
  const isTaxed = invoice.automatic_tax.enabled && percent > 0;
  const { amount, total, isReverse } = isTaxed
    ? taxOf(till, subtotal, invoice.customer)
    : { amount: 0, total: subtotal, isReverse: false };
  Object.assign(invoice, { subtotal, total, amount_due: total, amount_remaining: total });
  Object.assign(invoice, { subtotal_excluding_tax: total - amount, total_excluding_tax: total - amount });
  const tax: Stripe.Invoice.TotalTax = {
    amount,
    tax_behavior: isInclusive ? "inclusive" : "exclusive",
    tax_rate_details: { tax_rate: "txr_standard" },
    taxability_reason: isReverse ? "reverse_charge" : "standard_rated",
    taxable_amount: isReverse ? 0 : total - amount,
    type: "tax_rate_details",
  };
  invoice.total_taxes = isTaxed ? [tax] : [];
}

function open({ objectStore, origin }: Till, invoice: Stripe.Invoice): void {
  const count = objectStore.all<Invoice>("invoice").filter(({ number }) => number !== null).length + 1;
  const customer = objectStore.find<Stripe.Customer & Thing>("customer", invoice.customer);
  const id = invoice.id!;
  Object.assign(invoice, {
    status: "open",
    number: `${customer.invoice_prefix}-${String(count).padStart(4, "0")}`,
  });
  Object.assign(invoice, {
    hosted_invoice_url: `${origin()}/i/${id}`,
    invoice_pdf: `${origin()}/i/${id}/pdf`,
  });
  invoice.status_transitions.finalized_at = invoice.created;
}

function join_({ objectStore }: Till, invoice: Stripe.Invoice, intent: Stripe.PaymentIntent): void {
  const payment = objectStore.keep(make.invoicePaymentOf(objectStore.made("inpay"), invoice, intent.id));
  invoice.payments!.data.push(payment);
}

function close({ emit }: Till, invoice: Stripe.Invoice): void {
  Object.assign(invoice, {
    status: "paid",
    amount_paid: invoice.total,
    amount_remaining: 0,
    attempted: true,
  });
  for (const payment of invoice.payments!.data)
    Object.assign(payment, { status: "paid", amount_paid: invoice.total });
  emit("invoice.paid", invoice);
  emit("invoice.payment_succeeded", invoice);
}

/** After a page was paid. */
export function makeInvoiceOf(till: Till, session: Session, intent: Stripe.PaymentIntent): Stripe.Invoice {
  const { objectStore, emit } = till;
  const { metadata, description } = session.invoice_creation!.invoice_data;
  const customer = objectStore.find<Stripe.Customer & Thing>("customer", session.customer);
  const params = {
    metadata,
    description,
    automatic_tax: { enabled: String(till.tax.percent > 0) },
  } as Params;
  const invoice = objectStore.keep(make.draftOf(objectStore.made("in"), params, customer) as Invoice);
  invoice.lines.data.push(make.lineOf(objectStore.made("il"), invoice, session.amount_subtotal!));
  priced(till, invoice, session.amount_subtotal!);
  open(till, invoice);
  join_(till, invoice, intent);
  emit("invoice.finalized", invoice);
  close(till, invoice);
  return invoice;
}

export function invoicesAt(till: Till, charging: Charging) {
  const { objectStore, emit } = till;
  const at = (id: unknown) => objectStore.find<Invoice>("invoice", id, "invoice");
  return {
    ...openInvoices(till, charging),
    deleteInvoice(id: string) {
      if (at(id).status !== "draft") refuse("You can only delete draft invoices.");
      objectStore.remove(id);
      return { id, object: "invoice", deleted: true };
    },
    voidInvoice(id: string) {
      const invoice = at(id);
      if (invoice.status !== "open") refuse("You can only pass in open invoices. This invoice isn't open.");
      invoice.status = "void";
      for (const { payment } of invoice.payments!.data) {
        const intent = objectStore.find<Intent>("payment_intent", payment.payment_intent);
        intent.status = "canceled";
        emit("payment_intent.canceled", intent);
      }
      emit("invoice.voided", invoice);
      return invoice;
    },
    /** With its tax ids, if they are asked for. */
    customer(id: string, paths: string[]) {
      const customer = objectStore.find<Stripe.Customer & Thing>("customer", id);
      const data = objectStore.all<Stripe.TaxId & Thing>("tax_id").filter((one) => one.customer === id);
      const list = { object: "list", data, has_more: false, url: `/v1/customers/${id}/tax_ids` };
      return paths.includes("tax_ids") ? { ...customer, tax_ids: list } : customer;
    },
    createTaxId(customer: string, params: Params) {
      const isValid = /^[A-Z]{2}[0-9A-Z]{5,}$/.test(String(params.value));
      if (!isValid) refuse(`Invalid value for ${params.type}.`, { code: "tax_id_invalid", param: "value" });
      return objectStore.keep(make.taxIdOf(objectStore.made("txi"), customer, params));
    },
    deleteTaxId(id: string) {
      objectStore.find("tax_id", id);
      objectStore.remove(id);
      return { id, object: "tax_id", deleted: true };
    },
    ...creditsAt(till),
  };
}

function openInvoices(till: Till, { succeed, decline }: Charging) {
  const { objectStore, emit, cardNames } = till;
  const at = (id: unknown) => objectStore.find<Invoice>("invoice", id, "invoice");
  return {
    createInvoice(params: Params) {
      const customer = objectStore.find<Stripe.Customer & Thing>("customer", params.customer, "customer");
      return objectStore.keep(make.draftOf(objectStore.made("in"), params, customer) as Invoice);
    },
    addItem(params: Params) {
      const invoice = at(params.invoice);
      if (invoice.status !== "draft") refuse("The invoice isn't a draft.", { param: "invoice" });
      if (params.customer !== invoice.customer) refuse("The customer of the invoice is another.");
      invoice.lines.data.push(make.lineOf(objectStore.made("il"), invoice, Number(params.amount)));
      priced(
        till,
        invoice,
        invoice.lines.data.reduce((sum, { amount }) => sum + amount, 0),
      );
      return {
        ...objectStore.made("ii"),
        object: "invoiceitem",
        invoice: invoice.id,
        amount: Number(params.amount),
      };
    },
    finalizeInvoice(id: string) {
      const invoice = at(id);
      if (invoice.status !== "draft") refuse("This invoice is already finalized, you can't re-finalize it.");
      if (invoice.automatic_tax.enabled && invoice.customer_address === null) {
        const message = "The customer's location isn't recognized.";
        refuse(message, { code: "customer_tax_location_invalid" });
      }
      open(till, invoice);
      const { customer, total, description } = invoice;
      const params = {
        amount: String(total),
        currency: "usd",
        customer: String(customer),
        description: description!,
      };
      const intent = objectStore.keep(intentOf(objectStore.made("pi"), params) as Intent);
      join_(till, invoice, intent);
      emit("invoice.finalized", invoice);
      return invoice;
    },
    payInvoice(id: string, params: Params) {
      const invoice = at(id);
      if (invoice.status === "paid") refuse("Invoice is already paid");
      if (invoice.status !== "open") refuse("This invoice can't be paid.");
      const card = objectStore.find<Stripe.PaymentMethod & Thing>("payment_method", params.payment_method);
      if (card.customer !== invoice.customer) refuse("The payment method belongs to another customer.");
      const { payment } = invoice.payments!.data[0]!;
      const intent = objectStore.find<Intent>("payment_intent", payment.payment_intent);
      const name = cardNames.get(card.id)!;
      const why = declineOf(name, { present: params.off_session !== "true" });
      intent.payment_method = card.id;
      invoice.attempt_count++;
      if (why) {
        decline(till, intent, why);
        emit("invoice.payment_failed", invoice);
        throw new Refusal(402, { type: "card_error", ...why });
      }
      if (name === "delayed") intent.status = "processing";
      else {
        succeed(till, intent);
        close(till, invoice);
      }
      return invoice;
    },
  };
}

function creditsAt(till: Till) {
  const { objectStore, emit, origin } = till;
  const reclaims = openReclaims(objectStore, emit);
  const left = (paymentId: unknown) => {
    const intent = objectStore.find<Intent>("payment_intent", paymentId, "payment_intent");
    const charge = objectStore.find<Stripe.Charge & Thing>("charge", intent.latest_charge);
    return charge.amount - charge.amount_refunded;
  };
  function refunded(paymentId: string, cents: number) {
    if (cents > left(paymentId))
      refuse(`Refund amount (${cents}) is greater than unrefunded amount on charge (${left(paymentId)})`);
    return reclaims.refund(paymentId, { cents });
  }
  return {
    createRefund: ({ payment_intent: id, amount }: Params) =>
      refunded(String(id), amount === undefined ? left(id) : Number(amount)),
    createCreditNote(params: Params) {
      const invoice = objectStore.find<Invoice>("invoice", params.invoice, "invoice");
      const [amount, cents] = [Number(params.amount), Number(params.refund_amount ?? 0)];
      if (invoice.status !== "paid") refuse("The invoice isn't paid.", { param: "invoice" });
      if (amount !== cents) refuse("The sum of the refund and credit amounts must equal the credit note's.");
      const noted = objectStore.all<Stripe.CreditNote & Thing>("credit_note");
      const before = noted.filter((one) => one.invoice === invoice.id);
      const refund = refunded(String(invoice.payments!.data[0]!.payment.payment_intent), cents);
      const tax = (invoice.total_taxes ?? [])[0];
      const taxes = tax ? [{ ...tax, amount: Math.round((tax.amount * amount) / invoice.total) }] : [];
      const made = objectStore.made("cn");
      const pdf = `${origin()}/cn/${made.id}/pdf`;
      const about = { amount, taxes, refundId: refund.id, count: before.length + 1, pdf };
      const note = objectStore.keep(make.creditNoteOf(made, invoice, about));
      invoice.post_payment_credit_notes_amount += amount;
      emit("credit_note.created", note);
      return note;
    },
  };
}
