/** What happens at Stripe: a customer pays on the hosted page, a saved card is charged, money goes back. */
import type Stripe from "stripe";
import { type CardName, type Decline, declineOf, refusalOf } from "./cards.ts";
import { type Params, Refusal } from "./form.ts";
import { invoicesAt, makeInvoiceOf, taxOf } from "./invoicing.ts";
import type { ObjectStore, Thing } from "./object-store.ts";
import * as make from "./objects.ts";
import { sessionOf } from "./session.ts";
import type { Emit, Till } from "./till.ts";

type Session = Stripe.Checkout.Session;
type Intent = Stripe.PaymentIntent;
export type PaymentProcessor = ReturnType<typeof openProcessor>;

export function openProcessor(objectStore: ObjectStore, emit: Emit, origin: () => string) {
  /** What pages take of buyers, on top of the price or in it. */
  const tax = { percent: 0, isInclusive: false, seller: "DE" };
  const till: Till = { objectStore, emit, origin, drafts: new Map(), cardNames: new Map(), tax };
  const invoices = invoicesAt(till, { succeed, decline });
  return { ...customersAt(till), ...chargesAt(till), ...pagesAt(till), ...invoices, tax };
}

const intentAt = ({ objectStore }: Till, id: unknown) =>
  objectStore.find<Intent & Thing>("payment_intent", id);
const sessionAt = ({ objectStore }: Till, id: unknown) =>
  objectStore.find<Session & Thing>("checkout.session", id);

function saveCard(
  { objectStore, cardNames }: Till,
  name: CardName,
  customer: string | null,
): Stripe.PaymentMethod {
  const card = objectStore.keep(make.cardOf(objectStore.made("pm"), name, customer));
  cardNames.set(card.id, name);
  return card;
}

function succeed({ objectStore, emit, origin }: Till, intent: Intent): void {
  const charge = objectStore.keep(make.chargeOf(objectStore.made("ch"), intent, origin()));
  const { amount } = intent;
  Object.assign(intent, { status: "succeeded", amount_received: amount, latest_charge: charge.id });
  Object.assign(intent, { last_payment_error: null });
  emit("charge.succeeded", charge);
  emit("payment_intent.succeeded", intent);
}

function decline({ emit }: Till, intent: Intent, why: Decline): void {
  Object.assign(intent, { status: "requires_payment_method", payment_method: null });
  Object.assign(intent, { last_payment_error: { type: "card_error", ...why } });
  emit("payment_intent.payment_failed", intent);
}

function payWith(till: Till, session: Session, name: CardName): Decline | null {
  const { objectStore, emit, drafts } = till;
  const asked = drafts.get(session.id)!;
  const data = (asked.payment_intent_data ?? {}) as Params;
  if (session.payment_intent === null) {
    const { customer, amount_total: amount } = session;
    const params = { ...data, amount: String(amount), currency: "usd", customer: String(customer) };
    session.payment_intent = objectStore.keep(make.intentOf(objectStore.made("pi"), params)).id;
  }
  const intent = intentAt(till, session.payment_intent);
  const why = declineOf(name, { present: true });
  intent.payment_method = saveCard(till, name, null).id;
  if (why) {
    decline(till, intent, why);
    return why;
  }
  session.status = "complete";
  if (name === "delayed") intent.status = "processing";
  else {
    session.payment_status = "paid";
    succeed(till, intent);
    if (session.invoice_creation?.enabled) session.invoice = makeInvoiceOf(till, session, intent).id;
  }
  emit("checkout.session.completed", session);
  return null;
}

function setUpWith(till: Till, session: Session, name: CardName): Decline | null {
  const { objectStore, emit } = till;
  const why = refusalOf(name);
  if (why) return why;
  const setup = objectStore.find<Stripe.SetupIntent & Thing>("setup_intent", session.setup_intent);
  const card = saveCard(till, name, String(session.customer));
  Object.assign(setup, { payment_method: card.id, status: "succeeded" });
  session.status = "complete";
  emit("payment_method.attached", card);
  emit("setup_intent.succeeded", setup);
  emit("checkout.session.completed", session);
  return null;
}

function cardAt({ objectStore }: Till, params: Params): string {
  const card = objectStore.find<Stripe.PaymentMethod & Thing>(
    "payment_method",
    params.payment_method,
    "payment_method",
  );
  if (card.customer !== params.customer)
    throw new Refusal(400, {
      message: "The payment method does not belong to the customer of this payment.",
      param: "payment_method",
    });
  return card.id;
}

function customersAt({ objectStore, emit }: Till) {
  return {
    createCustomer(params: Params) {
      const customer = objectStore.keep(make.customerOf(objectStore.made("cus"), params));
      emit("customer.created", customer);
      return customer;
    },
    updateCustomer(id: string, { invoice_settings: settings, expand: _expand, ...params }: Params) {
      const customer = objectStore.find<Stripe.Customer & Thing>("customer", id);
      Object.assign(customer, params, params.address === "" && { address: null });
      if (settings) {
        const { default_payment_method: card, custom_fields: fields } = settings as Params;
        if (card !== undefined)
          objectStore.find("payment_method", card, "invoice_settings[default_payment_method]");
        Object.assign(customer.invoice_settings, settings, fields === "" && { custom_fields: null });
      }
      emit("customer.updated", customer);
      return customer;
    },
    cardsOf: (customerId: string) =>
      objectStore
        .all<Stripe.PaymentMethod & Thing>("payment_method")
        .filter(({ customer }) => customer === customerId),
    detachCard(id: string) {
      const card = objectStore.find<Stripe.PaymentMethod & Thing>("payment_method", id);
      if (card.customer === null)
        throw new Refusal(400, {
          message:
            "The payment method you provided is not attached to a customer so detachment is impossible.",
        });
      card.customer = null;
      emit("payment_method.detached", card);
      return card;
    },
  };
}

function chargesAt(till: Till) {
  const { objectStore, emit, cardNames } = till;
  return {
    /** A charge of a saved card, in one call; what its bank says is thrown as Stripe answers it. */
    createIntent(params: Params) {
      if (params.customer) objectStore.find("customer", params.customer, "customer");
      const amount = Number(params.amount);
      if (amount < 50 || amount > 99_999_999)
        throw new Refusal(400, {
          code: "amount_too_small",
          message: "Amount is out of range.",
          param: "amount",
        });
      if (params.off_session === "true" && params.confirm !== "true")
        throw new Refusal(400, { message: "off_session needs confirm.", param: "off_session" });
      if (params.confirm !== "true") return objectStore.keep(make.intentOf(objectStore.made("pi"), params));
      const card = cardAt(till, params);
      const intent = objectStore.keep(make.intentOf(objectStore.made("pi"), params));
      emit("payment_intent.created", intent);
      const name = cardNames.get(card)!;
      const why = declineOf(name, { present: params.off_session !== "true" });
      if (why) {
        decline(till, intent, why);
        const error = { type: "card_error", ...why, payment_intent: objectStore.record(intent) };
        throw new Refusal(402, error);
      }
      if (name === "delayed") intent.status = "processing";
      else succeed(till, intent);
      return intent;
    },
    updateIntent(id: string, { metadata, description }: Params) {
      const intent = intentAt(till, id);
      if (metadata) Object.assign(intent.metadata, metadata);
      if (description) intent.description = String(description);
      return intent;
    },
    /** A payment that takes days has come, or has not. */
    finish(intentId: string, paid: boolean): void {
      const intent = intentAt(till, intentId);
      const session = objectStore
        .all<Session & Thing>("checkout.session")
        .find(({ payment_intent }) => payment_intent === intentId);
      if (paid) succeed(till, intent);
      else
        decline(till, intent, { code: "payment_method_provider_decline", decline_code: "", message: "No." });
      if (!session) return;
      if (paid) session.payment_status = "paid";
      if (paid && session.invoice_creation?.enabled)
        session.invoice = makeInvoiceOf(till, session, intent).id;
      emit(`checkout.session.async_payment_${paid ? "succeeded" : "failed"}`, session);
    },
  };
}

function withTax(till: Till, session: Session): Session {
  if (session.amount_subtotal === null) return session;
  const { amount, total } = taxOf(till, session.amount_subtotal, session.customer);
  session.amount_total = total;
  session.total_details = { amount_discount: 0, amount_shipping: 0, amount_tax: amount };
  return session;
}

function pagesAt(till: Till) {
  const { objectStore, emit, origin, drafts } = till;
  return {
    createSession(params: Params) {
      if (params.customer) objectStore.find("customer", params.customer, "customer");
      const made = objectStore.made("cs_test");
      const isSetup = params.mode === "setup";
      const setupIntentId = isSetup
        ? objectStore.keep(make.setupOf(objectStore.made("seti"), params)).id
        : null;
      const session = sessionOf({ ...made, url: `${origin()}/c/pay/${made.id}`, setupIntentId }, params);
      drafts.set(session.id, params);
      return objectStore.keep(withTax(till, session));
    },
    /** A customer with a card at the hosted page; why it was refused, or null. */
    pay(sessionId: string, name: CardName): Decline | null {
      const session = sessionAt(till, sessionId);
      if (session.status !== "open") throw new Refusal(400, { message: "This Checkout Session is over." });
      return session.mode === "setup" ? setUpWith(till, session, name) : payWith(till, session, name);
    },
    expire(sessionId: string): void {
      const session = sessionAt(till, sessionId);
      if (session.status !== "open") return;
      Object.assign(session, { status: "expired", url: null });
      if (session.payment_intent !== null)
        Object.assign(intentAt(till, session.payment_intent), { status: "canceled" });
      emit("checkout.session.expired", session);
    },
    /** Sessions end by themselves. */
    expireOld(nowMs: number): void {
      for (const session of objectStore.all<Session & Thing>("checkout.session"))
        if (session.expires_at * 1000 <= nowMs) this.expire(session.id);
    },
    /** Null where there is none. */
    session(id: string | undefined): Session | null {
      const session = objectStore.all<Session & Thing>("checkout.session").find((one) => one.id === id);
      return session ?? null;
    },
  };
}
