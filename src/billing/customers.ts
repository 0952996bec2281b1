/** An organization's customer record at the payment service, created on first use, and its saved card. */
import { type Audit, created, differences } from "../audit/audit-events.ts";
import type { Clock } from "../clock.ts";
import type { Database } from "../db/database.ts";
import type { Log } from "../log/log.ts";
import { type BillingAccount, type BillingAccounts, WITHOUT_CARD } from "./billing-accounts.ts";
import type { BillingDetails, Card, Checkout, Payments } from "./payments.ts";

const FRESH_MS = 1000;

export type Customers = {
  customerOf(organizationId: string, email: string): Promise<string>;
  /** The account, after refreshing an open card setup. At most once a second each. */
  account(organizationId: string): Promise<BillingAccount>;
  /** The address of a hosted page that saves a card. */
  startSetup(organizationId: string, email: string): Promise<{ url: string }>;
  /** Applies the result of such a page. */
  finishSetup(checkout: Checkout): Promise<void>;
  /** A card was updated by its bank, or detached at the service. */
  settleCard(cardId: string): Promise<void>;
  forgetCard(organizationId: string): Promise<BillingAccount>;
  /** Whom invoices are made out to. */
  details(organizationId: string): Promise<BillingDetails>;
  setDetails(
    owner: { organizationId: string; email: string },
    details: BillingDetails,
  ): Promise<BillingDetails>;
};

export const NO_DETAILS: BillingDetails = {
  ...{ company: null, email: null, purchaseOrder: null },
  ...{ taxId: null, address: null },
};

type CustomerDeps = {
  payments: Payments;
  accounts: BillingAccounts;
  audit: Audit;
  database: Database;
  origin: () => string;
  clock: Clock;
  log: Log;
};

export function openCustomers(deps: CustomerDeps): Customers {
  const { payments, accounts, audit, origin, clock, log } = deps;
  const askedMs = new Map<string, number>();

  /** Replaces a customer that no longer exists, for example under another Stripe account; its card is lost with it. */
  async function customerOf(organizationId: string, email: string): Promise<string> {
    const { customerId: known, paymentMethodId } = await accounts.read(organizationId);
    if (known !== null && (await payments.hasCustomer(known))) return known;
    const customerId = await payments.createCustomer({ organizationId, email, gone: known });
    if (paymentMethodId !== null) await accounts.loseCard(organizationId, paymentMethodId);
    await accounts.change(organizationId, { customerId, ...(known === null ? {} : WITHOUT_CARD) });
    return customerId;
  }

  async function details(organizationId: string): Promise<BillingDetails> {
    const { customerId } = await accounts.read(organizationId);
    return (customerId === null ? null : await payments.readDetails(customerId)) ?? NO_DETAILS;
  }

  async function finishSetup({ id, status, organizationId, card }: Checkout): Promise<void> {
    if (organizationId === null || status === "open") return;
    const account = await accounts.read(organizationId);
    if (card && card.customerId === account.customerId) await keepCard(deps, account, card);
    if (account.setupSessionId === id) await accounts.change(organizationId, { setupSessionId: null });
  }

  return {
    customerOf,
    finishSetup,
    async account(organizationId) {
      const account = await accounts.read(organizationId);
      const nowMs = clock.now();
      for (const [id, ms] of askedMs) if (nowMs - ms >= FRESH_MS) askedMs.delete(id);
      if (account.setupSessionId === null || askedMs.has(organizationId)) return account;
      askedMs.set(organizationId, nowMs);
      try {
        const checkout = await payments.readCheckout(account.setupSessionId);
        if (checkout) await finishSetup(checkout);
        return await accounts.read(organizationId);
      } catch (cause) {
        log.warn("card_setup_refresh_failed", { organizationId, cause });
        return account;
      }
    },
    async startSetup(organizationId, email) {
      const customerId = await customerOf(organizationId, email);
      const page = `${origin()}/orgs/${organizationId}/billing`;
      const urls = { successUrl: `${page}?card=saved`, cancelUrl: `${page}?cancelled=card` };
      const { id, url } = await payments.createSetup({ organizationId, customerId, ...urls });
      await accounts.change(organizationId, { setupSessionId: id });
      if (url === null) throw new Error("the hosted page has no address");
      return { url };
    },
    details,
    async setDetails({ organizationId, email }, wanted) {
      const before = await details(organizationId);
      await payments.writeDetails(await customerOf(organizationId, email), wanted);
      const changes = differences(shownDetails(before), shownDetails(wanted));
      const about = { type: "billing.details.updated", organizationId, resourceId: organizationId } as const;
      await audit.note([{ ...about, changes }]);
      return await details(organizationId);
    },
    settleCard: (cardId) => settleCard(deps, cardId),
    forgetCard: (organizationId) => forgetCard(deps, organizationId),
  };
}

/** The address stays out of the audit log: only that it has changed is told. */
const shownDetails = ({ company, email, purchaseOrder, taxId }: BillingDetails) => ({
  ...{ company, email, purchase_order: purchaseOrder, tax_id: taxId?.value ?? null },
});

async function forgetCard(
  { payments, accounts }: CustomerDeps,
  organizationId: string,
): Promise<BillingAccount> {
  const account = await accounts.change(organizationId, { rechargeEnabled: false }); // its event is no news
  const { paymentMethodId, cardBrand: brand, cardLast4: last4 } = account;
  if (paymentMethodId === null) return await accounts.change(organizationId, WITHOUT_CARD);
  await payments.detachCard(paymentMethodId);
  const changes = differences({ brand, last4 }, { brand: null, last4: null });
  const event = {
    type: "billing.card.removed",
    organizationId,
    resourceId: paymentMethodId,
    changes,
  } as const;
  return await accounts.changeAudited(organizationId, WITHOUT_CARD, event);
}

async function settleCard({ payments, accounts }: CustomerDeps, cardId: string): Promise<void> {
  const [holder, card] = await Promise.all([accounts.holderOf(cardId), payments.readCard(cardId)]);
  if (!holder) return;
  const isKept = card !== null && card.customerId === holder.customerId;
  if (isKept) await accounts.change(holder.organizationId, columnsOf(card));
  else await accounts.loseCard(holder.organizationId, cardId);
}

const columnsOf = ({ id, brand, last4, expMonth, expYear }: Card) => ({
  paymentMethodId: id,
  cardBrand: brand,
  cardLast4: last4,
  cardExpMonth: expMonth,
  cardExpYear: expYear,
});

/** Keeps the newer of two cards, in whatever order they are reported. A new card resets failures. */
async function keepCard({ payments, accounts }: CustomerDeps, account: BillingAccount, card: Card) {
  const { organizationId, customerId, paymentMethodId } = account;
  if (paymentMethodId === card.id) return;
  const before = paymentMethodId === null ? null : await payments.readCard(paymentMethodId);
  const isNewer = before === null || before.customerId === null || before.createdAt <= card.createdAt;
  if (!isNewer) return await payments.detachCard(card.id);
  const changes = created({ brand: card.brand, last4: card.last4 });
  const event = { type: "billing.card.added", organizationId, resourceId: card.id, changes } as const;
  await accounts.changeAudited(organizationId, columnsOf(card), event);
  await accounts.resetFailures(organizationId);
  if (customerId !== null) await payments.setDefaultCard(customerId, card.id);
  if (before?.customerId) await payments.detachCard(before.id);
}
