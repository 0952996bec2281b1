/**
 * The stand-in for Stripe without HTTP, for tests that choose the order of everything: each call waits at a gate
 * before it is done and another before it is answered. Keys are idempotent, and pages and lists are Stripe's.
 */
import type { Payment, Payments, Purchase } from "../../src/billing/payments.ts";
import {
  cardOf,
  cents,
  checkoutOf,
  disputeOf,
  metadataOf,
  paymentOf,
  refundOf,
  webhookEventOf,
} from "../../src/billing/stripe-objects.ts";
import { type Params, Refusal } from "./form.ts";
import { openKeys } from "./idempotency.ts";
import type { ObjectStore, Thing } from "./object-store.ts";
import type { PaymentProcessor } from "./processor.ts";

type Parts = {
  objectStore: ObjectStore;
  processor: PaymentProcessor;
  /** Resolves when a call may go on; throws where it is lost on its way. */
  gate: (call: string) => Promise<void>;
  /** A card is being charged. */
  charging: (topUpId: string) => void;
};

const EXPAND = ["payment_intent.latest_charge", "setup_intent.payment_method"];

export function openDirectProcessor({ objectStore, processor, charging }: Omit<Parts, "gate">) {
  const keys = openKeys();
  const recordOf = (thing: Thing, paths: string[]) => objectStore.record(thing, paths);
  const find = (object: string, id: string) =>
    objectStore.all(object).find((thing) => thing.id === id) ?? null;
  const payment = (thing: Thing): Payment => paymentOf(recordOf(thing, ["latest_charge"]) as never);
  const checkout = (thing: Thing) => checkoutOf(recordOf(thing, EXPAND) as never);

  /** The answer under that key, as it was the first time. */
  function once(key: string, request: object, work: () => object) {
    const { status, value } = keys(key, JSON.stringify(request), () => {
      try {
        return { status: 200, value: work() };
      } catch (error) {
        if (error instanceof Refusal) return { status: error.status, value: error.body };
        throw error;
      }
    });
    return { isDone: status === 200, value: value as { id: string } };
  }

  function chargeCard(charge: Parameters<Payments["chargeCard"]>[0]) {
    const { amountMicros, customerId: customer, cardId, topUpId } = charge;
    const request: Params = {
      ...{ amount: String(cents(amountMicros)), currency: "usd", customer, payment_method: cardId },
      ...{ confirm: "true", off_session: "true", metadata: metadataOf(charge) },
    };
    const { isDone, value } = once(topUpId, request, () => {
      charging(topUpId);
      return processor.createIntent(request);
    });
    if (isDone) return { payment: payment(find("payment_intent", value.id)!) };
    const { payment_intent: intent } = (value as unknown as { error: { payment_intent: Thing } }).error;
    return { payment: payment(find("payment_intent", intent.id)!) };
  }

  function createCheckout(input: Purchase & { amountMicros: number; customerId: string; expiresAt: number }) {
    const metadata = metadataOf(input);
    const product = {
      currency: "usd",
      unit_amount: String(cents(input.amountMicros)),
      product_data: { name: "Credit" },
    };
    const request: Params = {
      ...{ mode: "payment", customer: input.customerId, metadata, payment_intent_data: { metadata } },
      ...{ line_items: [{ quantity: "1", price_data: product }], expires_at: String(input.expiresAt) },
      success_url: "http://localhost/",
    };
    const { value } = once(input.topUpId, request, () => processor.createSession(request));
    return checkout(find("checkout.session", value.id)!);
  }

  return { objectStore, find, payment, checkout, chargeCard, createCheckout };
}

type DirectProcessor = ReturnType<typeof openDirectProcessor>;

/** What one node sees of it. */
export function directPayments(till: DirectProcessor, gate: Parts["gate"]): Payments {
  const { objectStore, find } = till;
  async function call<T>(name: string, work: () => T): Promise<T> {
    await gate(name);
    const answer = work();
    await gate(`answer to ${name}`);
    return answer;
  }
  const unused = async (): Promise<never> => {
    throw new Error("not stood in for");
  };
  return {
    invoices: false,
    ...{ readInvoice: unused, findInvoice: unused, creditNotes: unused, withdrawCharge: unused },
    ...{ refund: unused, readDetails: unused, writeDetails: unused },
    createCustomer: unused,
    createSetup: unused,
    setDefaultCard: unused,
    detachCard: unused,
    hasCustomer: (id) => call("has customer", () => find("customer", id) !== null),
    createCheckout: (checkout) => call("create checkout", () => till.createCheckout(checkout)),
    chargeCard: (charge) => call("charge card", () => till.chargeCard(charge)),
    readCheckout: (id) => call("read checkout", () => read(find("checkout.session", id), till.checkout)),
    readPayment: (id) => call("read payment", () => read(find("payment_intent", id), till.payment)),
    readCard: (id) =>
      call("read card", () => read(find("payment_method", id), (thing) => cardOf(thing as never))),
    async *payments({ customerId, since }) {
      const all = objectStore.all<Thing & { customer?: string }>("payment_intent").toReversed();
      const theirs = all.filter(
        ({ customer, created }) => created >= since && (!customerId || customer === customerId),
      );
      yield* await call("list payments", () => theirs.map(till.payment));
    },
    reclaims: (of) =>
      call("list reclaims", () => {
        const refunds = objectStore.all("refund").map((thing) => refundOf(thing as never));
        const disputes = objectStore.all("dispute").map((thing) => disputeOf(thing as never));
        return [...refunds, ...disputes].filter((one) =>
          "since" in of ? one.createdAt >= of.since : one.paymentId === of.paymentId,
        );
      }),
    verify: async (body) => webhookEventOf(JSON.parse(body)),
  };
}

const read = <T>(thing: Thing | null, as: (thing: Thing) => T): T | null => thing && as(thing);
