/**
 * The interface of a payment service. Amounts are micros of a US dollar, times are Unix seconds.
 *
 * Every operation that creates something is idempotent.
 */
export type Payment = {
  id: string;
  /** This server's metadata; null on a payment that was not made by this server. */
  purchase: Purchase | null;
  /** `unpaid`: not paid so far. */
  status: "succeeded" | "processing" | "unpaid" | "canceled";
  amountMicros: number;
  /** The amount received; 0 unless it succeeded. Null if not in US dollars. */
  receivedMicros: number | null;
  /** What of that was paid for credit: the rest is tax. Null if not in US dollars. */
  creditMicros: number | null;
  /** For example `card_declined` or `authentication_required`. */
  problem: string | null;
  createdAt: number;
  paidAt: number;
  receiptUrl: string | null;
  /** Whether any of it was refunded or disputed. */
  contested: boolean;
};

/** The credit in a part of a payment, as of a refund. Rounded down. */
export function creditIn({ receivedMicros, creditMicros }: Payment, partMicros: number): number {
  if (!receivedMicros || creditMicros === null) return partMicros;
  return Number((BigInt(partMicros) * BigInt(creditMicros)) / BigInt(receivedMicros));
}

/** Whether no card was tried yet, as of an invoice that is ready to be paid. */
export const isUntried = ({ status, problem }: Payment): boolean => status === "unpaid" && problem === null;

export type Purchase = { topUpId: string; organizationId: string; kind: "top_up" | "auto_recharge" };

export type Card = {
  id: string;
  /** Null once detached. */
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
  /** True if it saves a card instead of taking a payment. */
  isSetup: boolean;
  organizationId: string | null;
  topUpId: string | null;
  payment: Payment | null;
  card: Card | null;
};

/** Money returned to the payer. `taken`: once it was withdrawn; `returned`: once it came back to the server's account. */
export type Reclaim = {
  id: string;
  kind: "refund" | "dispute";
  paymentId: string | null;
  amountMicros: number;
  createdAt: number;
  taken: boolean;
  returned: boolean;
};

/** Of a payment, once it is finalized. `pdfUrl`: null until the service has drawn it. `taxMicros`: in the price or on top. */
export type Invoice = {
  id: string;
  number: string | null;
  pdfUrl: string | null;
  taxMicros: number;
  purchase: Purchase | null;
};

/** Of a refund of an invoice, tax included. */
export type CreditNote = {
  id: string;
  number: string;
  amountMicros: number;
  pdfUrl: string;
  createdAt: number;
  isVoid: boolean;
};

/** Whom invoices are made out to. Null: not said. */
export type BillingDetails = {
  company: string | null;
  /** Where the service sends invoices. */
  email: string | null;
  purchaseOrder: string | null;
  /** By the service's types, such as `eu_vat`. */
  taxId: { type: string; value: string } | null;
  /** `country`: two letters. */
  address: {
    line1: string | null;
    line2: string | null;
    city: string | null;
    postalCode: string | null;
    state: string | null;
    country: string | null;
  } | null;
};

/** The object an event is about. The rest of the event is ignored, because it may be outdated. */
export type WebhookEvent = {
  id: string;
  type: string;
  about: { object: "checkout" | "payment" | "card" | "invoice"; id: string } | null;
};

export type Charge = Purchase & { amountMicros: number; customerId: string; cardId: string };

/** Reads return null for unknown objects. An unreachable service is refused as `service_unavailable`. */
export type Payments = {
  /** The customer that it replaces, or null. */
  createCustomer(owner: { organizationId: string; email: string; gone: string | null }): Promise<string>;
  hasCustomer(id: string): Promise<boolean>;
  createCheckout(
    checkout: Purchase & {
      amountMicros: number;
      customerId: string;
      expiresAt: number;
      successUrl: string;
      cancelUrl: string;
    },
  ): Promise<Checkout>;
  createSetup(setup: {
    organizationId: string;
    customerId: string;
    successUrl: string;
    cancelUrl: string;
  }): Promise<Checkout>;
  /** Charges a saved card off-session. A declined charge is returned; an error means the outcome is unknown. */
  chargeCard(charge: Charge): Promise<{ payment: Payment } | { refused: string }>;
  readCheckout(id: string): Promise<Checkout | null>;
  readPayment(id: string): Promise<Payment | null>;
  readCard(id: string): Promise<Card | null>;
  setDefaultCard(customerId: string, cardId: string): Promise<void>;
  detachCard(id: string): Promise<void>;
  /** Whether payments get invoices. */
  invoices: boolean;
  readInvoice(id: string): Promise<Invoice | null>;
  /** The invoice of a paid page, or else of a payment; null if it has none, or none yet. */
  findInvoice(of: { checkoutId: string | null; paymentId: string }): Promise<Invoice | null>;
  /** Oldest first. */
  creditNotes(invoiceId: string): Promise<CreditNote[]>;
  /** Voids the invoice of a charge that was begun since then and given up. */
  withdrawCharge(charge: { customerId: string; topUpId: string; since: number }): Promise<void>;
  /** Gives a part of a payment back, tax included; with a credit note where it has an invoice. */
  refund(refund: {
    paymentId: string;
    invoiceId: string | null;
    amountMicros: number;
    idempotencyKey: string;
  }): Promise<void>;
  readDetails(customerId: string): Promise<BillingDetails | null>;
  writeDetails(customerId: string, details: BillingDetails): Promise<void>;
  /** Newest first. */
  payments(of: { customerId?: string; since: number }): AsyncIterable<Payment>;
  /** Refunds and disputes of one payment, or all since then. */
  reclaims(of: { paymentId: string } | { since: number }): Promise<Reclaim[]>;
  /** Refuses an event with an invalid signature. */
  verify(body: string, signature: string | null, nowMs: number): Promise<WebhookEvent>;
};
