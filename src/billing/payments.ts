/**
 * What a payment service does for us, in our words: amounts in micros of a US dollar, times in Unix seconds.
 *
 * Whatever makes something there can be asked again: it is made once.
 */
export type Payment = {
  id: string;
  /** What we wrote on it; null on a payment that is not ours. */
  purchase: Purchase | null;
  /** `unpaid`: whoever or whatever was to pay did not, so far. */
  status: "succeeded" | "processing" | "unpaid" | "canceled";
  amountMicros: number;
  /** What came in; 0 unless it succeeded. In US dollars, or null. */
  receivedMicros: number | null;
  /** As `card_declined` or `authentication_required`. */
  problem: string | null;
  createdAt: number;
  paidAt: number;
  receiptUrl: string | null;
  /** Something was refunded, or somebody disputes it. */
  contested: boolean;
};

export type Purchase = { topUpId: string; organizationId: string; kind: "top_up" | "auto_recharge" };

export type Card = {
  id: string;
  /** Null once it was detached. */
  customerId: string | null;
  brand: string;
  last4: string;
  expMonth: number;
  expYear: number;
  createdAt: number;
};

export type Checkout = {
  id: string;
  url: string | null;
  status: "open" | "complete" | "expired";
  /** It asks for a card, not for money. */
  isSetup: boolean;
  organizationId: string | null;
  topUpId: string | null;
  payment: Payment | null;
  card: Card | null;
};

/** Money that goes back to whoever paid. `taken` once it went, `returned` once it came back to us after all. */
export type Reclaim = {
  id: string;
  kind: "refund" | "dispute";
  paymentId: string | null;
  amountMicros: number;
  createdAt: number;
  taken: boolean;
  returned: boolean;
};

/** What an event is about; the rest of it is not looked at, for by now it may be otherwise. */
export type WebhookEvent = {
  id: string;
  type: string;
  about: { object: "checkout" | "payment" | "card"; id: string } | null;
};

type Charge = Purchase & { amountMicros: number; customerId: string; cardId: string };

/** Reads answer null for what is not known there. Where the service cannot be reached: a fault, 503. */
export type Payments = {
  /** In place of one that is gone, or null. */
  createCustomer(owner: { organizationId: string; email: string; gone: string | null }): Promise<string>;
  hasCustomer(id: string): Promise<boolean>;
  createCheckout(
    wanted: Purchase & {
      amountMicros: number;
      customerId: string;
      expiresAt: number;
      successUrl: string;
      cancelUrl: string;
    },
  ): Promise<Checkout>;
  createSetup(wanted: {
    organizationId: string;
    customerId: string;
    successUrl: string;
    cancelUrl: string;
  }): Promise<Checkout>;
  /** Charges a saved card while nobody is there. What is refused for good is answered; a fault means nobody knows. */
  chargeCard(charge: Charge): Promise<{ payment: Payment } | { refused: string }>;
  readCheckout(id: string): Promise<Checkout | null>;
  readPayment(id: string): Promise<Payment | null>;
  readCard(id: string): Promise<Card | null>;
  setDefaultCard(customerId: string, cardId: string): Promise<void>;
  detachCard(id: string): Promise<void>;
  /** Newest first. */
  payments(of: { customerId?: string; since: number }): AsyncIterable<Payment>;
  /** Refunds and disputes of one payment, or all since then. */
  reclaims(of: { paymentId: string } | { since: number }): Promise<Reclaim[]>;
  /** Refuses what the service did not sign. */
  verify(body: string, signature: string | null, nowMs: number): Promise<WebhookEvent>;
};
