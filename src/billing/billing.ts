/**
 * Buying credit: checkout, cards, auto-recharge, and Stripe's webhooks.
 *
 *   checkout, card, recharge ──> Stripe ──event──> webhooks ──> crediting ──> ledger
 *                                  └────reconcile job, every minute────^
 *
 * A request to Stripe may have succeeded although its response was lost, and events may arrive late, twice or never:
 * every step is idempotent, and the reconcile job asks for what was missed.
 */

import { type Audit, created, differences, openAudit } from "../audit/audit-events.ts";
import type { Clock } from "../clock.ts";
import type { Database } from "../db/database.ts";
import { invalidInput, Refusal } from "../errors.ts";
import { openRaising } from "../events/raising.ts";
import { newId } from "../ids.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { Log } from "../log/log.ts";
import type { Work } from "../work/work-queue.ts";
import { type BillingAccount, NO_FAILURES, openBillingAccounts } from "./billing-accounts.ts";
import { type NewPurchase, openPurchases } from "./checkout.ts";
import { type Crediting, openCrediting } from "./crediting.ts";
import { NO_DETAILS, openCustomers } from "./customers.ts";
import { openInvoicing } from "./invoicing.ts";
import { type Mailing, openOwnerMail, ownerMailOf } from "./owner-mail.ts";
import type { BillingDetails, Payments } from "./payments.ts";
import { LEAST_MICROS, openRecharge } from "./recharge.ts";
import { openReconcileJob } from "./reconcile-job.ts";
import { openTopUps, type TopUp, type TopUps } from "./top-ups.ts";
import { openWebhooks } from "./webhooks.ts";

type RechargeSettings = { enabled: boolean; thresholdMicros: number; targetMicros: number };

export type Billing = AsyncDisposable & {
  /** Whether payments are enabled on this server. */
  available: boolean;
  /** An organization's card and auto-recharge settings, or the defaults. */
  account(organizationId: string): Promise<BillingAccount>;
  /** Newest first. */
  topUps(organizationId: string): Promise<TopUp[]>;
  /** Refreshes a pending one first. Null if the organization has no such top-up. */
  topUp(organizationId: string, id: string): Promise<TopUp | null>;
  startTopUp(purchase: NewPurchase): Promise<TopUp>;
  startCardSetup(owner: { organizationId: string; email: string }): Promise<{ url: string }>;
  /** Also switches auto-recharge off. */
  forgetCard(organizationId: string): Promise<void>;
  setRecharge(organizationId: string, settings: RechargeSettings): Promise<BillingAccount>;
  /** Whether payments get invoices. */
  invoices: boolean;
  /** Whom invoices are made out to: kept at the payment service only. */
  details(organizationId: string): Promise<BillingDetails>;
  setDetails(
    owner: { organizationId: string; email: string },
    details: BillingDetails,
  ): Promise<BillingDetails>;
  /** Gives a part of a payment back, with a credit note if it has an invoice, and takes that part of the credit. */
  refund(refund: OperatorRefund): Promise<TopUp>;
  /** The address of the invoice, or else of the hosted receipt; or null. */
  receipt(topUp: TopUp): Promise<string | null>;
  /** Called after spending: charges the card if the balance is below the threshold. Returns at once, never throws. */
  charged(organizationId: string): void;
  /** Handles a signed Stripe event. Its effects are durable when this resolves. */
  webhook(body: string, signature: string | null): Promise<void>;
  /** Catches up on missed events, due charges and mail to owners; also runs every minute. */
  sweep(): Promise<void>;
};

type BillingDeps = {
  database: Database;
  ledger: Ledger;
  /** Null: no payment service is configured. */
  payments: Payments | null;
  /** The origin under which browsers reach this server. */
  origin: () => string;
  /** Mails owners what happened to auto-recharge; without it, another process does. */
  mailing?: Mailing;
  /** What sends it; without it, another process does. */
  work?: Work;
  clock: Clock;
  log: Log;
};

export function openBilling({ payments: service, ...shared }: BillingDeps): Billing {
  if (service === null) return withoutPayments(shared);
  const stores = openBillingStores({ ...shared, payments: service });
  const { payments, topUps, accounts, customers, purchases, webhooks, ownerMail } = stores;
  const sweep = openReconcileJob(stores);
  return {
    available: true,
    account: (organizationId) => customers.account(organizationId),
    topUps: (organizationId) => topUps.of(organizationId),
    async topUp(organizationId, id) {
      const topUp = await topUps.read(id);
      return topUp?.organizationId === organizationId ? await purchases.refreshed(topUp) : null;
    },
    startTopUp: (purchase) => purchases.start(purchase),
    startCardSetup: ({ organizationId, email }) => customers.startSetup(organizationId, email),
    async forgetCard(organizationId) {
      await customers.forgetCard(organizationId);
      sweep.watch(organizationId, false);
    },
    async setRecharge(organizationId, { enabled, thresholdMicros, targetMicros }) {
      checkDistance(thresholdMicros, targetMicros);
      const before = await accounts.read(organizationId);
      const { paymentMethodId, rechargeEnabled } = before;
      if (enabled && paymentMethodId === null)
        throw new Refusal("no_payment_method", "There is no payment method. Add a card first.");
      const settings = {
        rechargeEnabled: enabled,
        rechargeThresholdMicros: thresholdMicros,
        rechargeTargetMicros: targetMicros,
      };
      const isNew = enabled && !rechargeEnabled;
      const changed = { ...settings, ...(isNew ? { ...NO_FAILURES, lowBalanceDue: false } : {}) };
      const changes = differences(rechargeFields(before), rechargeFields({ ...before, ...settings }));
      const event = { ...RECHARGE_UPDATED, organizationId, resourceId: organizationId, changes };
      const account = await (changes.length > 0
        ? accounts.changeAudited(organizationId, changed, event)
        : accounts.change(organizationId, changed));
      sweep.watch(organizationId, enabled);
      sweep.charged(organizationId);
      return account;
    },
    invoices: payments.invoices,
    details: (organizationId) => customers.details(organizationId),
    setDetails: (owner, details) => customers.setDetails(owner, details),
    refund: (refund) => refundTopUp(stores, refund),
    async receipt(topUp) {
      const { paymentIntentId, receiptUrl } = topUp;
      const pdf = await stores.invoicing.pdf(topUp);
      if (pdf !== null) return pdf;
      if (receiptUrl !== null || paymentIntentId === null) return receiptUrl;
      return (await payments.readPayment(paymentIntentId))?.receiptUrl ?? null;
    },
    charged: sweep.charged,
    webhook: (body, signature) => webhooks.receive(body, signature),
    async sweep() {
      await Promise.all([sweep.run(), ownerMail.run()]);
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([sweep[Symbol.asyncDispose](), ownerMail[Symbol.asyncDispose]()]);
    },
  };
}

export type BillingStores = ReturnType<typeof openBillingStores>;

/** The stores and services of billing that reconciling needs. */
export function openBillingStores(shared: Omit<BillingDeps, "config"> & { payments: Payments }) {
  const accounts = accountsOf(shared);
  const audit = openAudit(shared.database, shared.clock);
  const topUps = openTopUps(shared.database, audit);
  const { mailing = null, work = null } = shared;
  const stores = { ...shared, accounts, audit, topUps, mailing, work };
  const invoicing = openInvoicing(stores);
  const crediting = openCrediting({ ...stores, invoicing });
  const customers = openCustomers(stores);
  const deps = { ...stores, invoicing, crediting, customers };
  return {
    ...deps,
    purchases: openPurchases(deps),
    ownerMail: openOwnerMail(deps),
    recharge: openRecharge(deps),
    webhooks: openWebhooks(deps),
  };
}

const RECHARGE_UPDATED = { type: "billing.auto_recharge.updated" } as const;

const rechargeFields = (account: BillingAccount) => ({
  enabled: account.rechargeEnabled,
  threshold_micros: account.rechargeThresholdMicros,
  target_micros: account.rechargeTargetMicros,
});

type AccountDeps = Pick<BillingDeps, "database" | "work" | "clock">;

const accountsOf = ({ database, work, clock }: AccountDeps) =>
  openBillingAccounts(database, {
    raise: openRaising(clock, [ownerMailOf]),
    raised: () => work?.wake(),
    audit: openAudit(database, clock),
  });

function checkDistance(thresholdMicros: number, targetMicros: number): void {
  if (targetMicros - thresholdMicros >= LEAST_MICROS) return;
  const message = `must be at least ${LEAST_MICROS} above threshold_micros`;
  throw invalidInput([{ field: "target_micros", code: "out_of_range", message }]);
}

/** Billing without payments: earlier purchases stay visible. */
function withoutPayments({ database, ...shared }: AccountDeps): Billing {
  const accounts = accountsOf({ database, ...shared });
  const topUps = openTopUps(database, openAudit(database, shared.clock));
  const refuse = async (): Promise<never> => {
    throw new Refusal(
      "payments_unavailable",
      "Payments are not enabled on this server. Ask its operator for credit.",
    );
  };
  return {
    available: false,
    account: (organizationId) => accounts.read(organizationId),
    topUps: (organizationId) => topUps.of(organizationId),
    async topUp(organizationId, id) {
      const topUp = await topUps.read(id);
      return topUp?.organizationId === organizationId ? topUp : null;
    },
    startTopUp: refuse,
    startCardSetup: refuse,
    forgetCard: refuse,
    setRecharge: refuse,
    invoices: false,
    details: async () => NO_DETAILS,
    setDetails: refuse,
    refund: refuse,
    receipt: async ({ invoicePdfUrl, receiptUrl }) => invoicePdfUrl ?? receiptUrl,
    charged: () => {},
    webhook: refuse,
    sweep: async () => {},
    async [Symbol.asyncDispose]() {},
  };
}

/**
 * Refunds by the operator: a credit note where the payment has an invoice.
 *
 * The credit is taken back as for a refund that was made at the payment service. Where the process ends between the two,
 * the service's event or the reconcile job does it.
 *
 * `amountMicros`: of what was paid, tax included.
 */
type OperatorRefund = {
  organizationId: string;
  topUpId: string;
  amountMicros: number;
  idempotencyKey: string | null;
};

type RefundDeps = { payments: Payments; topUps: TopUps; crediting: Crediting; audit: Audit; clock: Clock };

async function refundTopUp(
  { payments, topUps, crediting, audit, clock }: RefundDeps,
  { organizationId, topUpId, amountMicros, idempotencyKey }: OperatorRefund,
): Promise<TopUp> {
  const topUp = await topUps.read(topUpId);
  if (topUp?.organizationId !== organizationId) throw new Refusal("not_found", "There is no such top-up.");
  const { paymentIntentId: paymentId, invoiceId, status } = topUp;
  if (status !== "succeeded" || paymentId === null)
    throw new Refusal("top_up_not_paid", "This top-up was not paid, so nothing can be refunded.");
  const key = idempotencyKey ?? newId("rev", clock);
  await payments.refund({ paymentId, invoiceId, amountMicros, idempotencyKey: `${topUpId}_refund_${key}` });
  const changes = created({ amount_micros: amountMicros });
  await audit.note([{ type: "billing.refunded", organizationId, resourceId: topUpId, changes }]); // before what may fail
  const payment = await payments.readPayment(paymentId);
  if (payment) await crediting.payment(payment);
  if (invoiceId !== null) await crediting.invoice(invoiceId);
  return (await topUps.read(topUpId))!;
}
