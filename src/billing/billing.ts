/**
 * Buying credit: checkout, cards, auto-recharge, and what Stripe tells of them.
 *
 *   checkout, card, recharge ──> Stripe ──event──> notices ──> settle ──> ledger
 *                                  └────────sweep, once a minute────^
 *
 * Whatever is asked of Stripe may have happened though nobody answered, and whatever it tells may come late, twice or
 * never: so all of it is idempotent, and the sweep asks for what was not heard.
 */
import type { Clock } from "../clock.ts";
import type { StripeConfig } from "../config.ts";
import type { Database } from "../db/database.ts";
import { invalidInput, Refusal } from "../errors.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { Log } from "../log.ts";
import { type BillingAccount, NO_FAILURES, openBillingAccounts, type TakenBack } from "./billing-accounts.ts";
import { type NewPurchase, openPurchases } from "./checkout.ts";
import { openSettlement } from "./crediting.ts";
import { openCustomers } from "./customers.ts";
import type { Payments } from "./payments.ts";
import { LEAST_MICROS, openRecharge } from "./recharge.ts";
import { openReconcileJob } from "./reconcile-job.ts";
import { openPayments } from "./stripe.ts";
import { openTopUps, type TopUp } from "./top-ups.ts";
import { openWebhooks } from "./webhooks.ts";

type RechargeSettings = { enabled: boolean; thresholdMicros: number; targetMicros: number };

export type Billing = AsyncDisposable & {
  /** Whether this server takes payments at all. */
  available: boolean;
  /** An organization's card and auto-recharge; defaults where it has neither. */
  account(organizationId: string): Promise<BillingAccount>;
  /** Newest first. */
  topUps(organizationId: string): Promise<TopUp[]>;
  /** One that is pending is looked up first. Null where the organization has no such top-up. */
  topUp(organizationId: string, id: string): Promise<TopUp | null>;
  startTopUp(purchase: NewPurchase): Promise<TopUp>;
  startCardSetup(owner: { organizationId: string; email: string }): Promise<{ url: string }>;
  /** Auto-recharge goes off with it. */
  forgetCard(organizationId: string): Promise<void>;
  setRecharge(organizationId: string, settings: RechargeSettings): Promise<BillingAccount>;
  /** Where its hosted receipt is; null where there is none. */
  receipt(topUp: TopUp): Promise<string | null>;
  /** Something was spent: where that took the balance below a threshold, the card is charged. Never throws, never waits. */
  charged(organizationId: string): void;
  /** What Stripe tells, with its signature. Durable when it resolves. */
  webhook(body: string, signature: string | null): Promise<void>;
  /** Finds out what was not heard, and charges what is due; once a minute by itself. */
  sweep(): Promise<void>;
};

type BillingParts = {
  database: Database;
  ledger: Ledger;
  config: StripeConfig | null;
  /** Where browsers find this server. */
  origin: () => string;
  /** Tells an organization's owners why auto-recharge went off. Never throws, never waits. */
  stopped?: (organizationId: string, why: TakenBack) => void;
  clock: Clock;
  log: Log;
};

export function openBilling({ config, ...shared }: BillingParts): Billing {
  if (config === null) return withoutPayments(shared.database);
  return openBillingWith({ ...shared, payments: openPayments(config) });
}

/** By a payment service of one's own. */
export function openBillingWith(shared: Omit<BillingParts, "config"> & { payments: Payments }): Billing {
  const parts = openBillingStores(shared);
  const { payments, topUps, accounts, customers, purchases, webhooks } = parts;
  const sweep = openReconcileJob(parts);
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
      const { paymentMethodId, rechargeEnabled } = await accounts.read(organizationId);
      if (enabled && paymentMethodId === null)
        throw new Refusal("no_payment_method", "There is no card to charge. Save one first.");
      const settings = {
        rechargeEnabled: enabled,
        rechargeThresholdMicros: thresholdMicros,
        rechargeTargetMicros: targetMicros,
      };
      const isNew = enabled && !rechargeEnabled;
      const account = await accounts.change(organizationId, { ...settings, ...(isNew ? NO_FAILURES : {}) });
      sweep.watch(organizationId, enabled);
      sweep.charged(organizationId);
      return account;
    },
    async receipt({ paymentIntentId, receiptUrl }) {
      if (receiptUrl !== null || paymentIntentId === null) return receiptUrl;
      return (await payments.readPayment(paymentIntentId))?.receiptUrl ?? null;
    },
    charged: sweep.charged,
    webhook: (body, signature) => webhooks.receive(body, signature),
    sweep: sweep.run,
    [Symbol.asyncDispose]: sweep[Symbol.asyncDispose],
  };
}

export type BillingStores = ReturnType<typeof openBillingStores>;

/** What billing is made of; a command that reconciles needs no more. */
export function openBillingStores(shared: Omit<BillingParts, "config"> & { payments: Payments }) {
  const accounts = openBillingAccounts(shared.database);
  const topUps = openTopUps(shared.database);
  const { stopped = () => {} } = shared;
  const stores = { ...shared, accounts, topUps, stopped };
  const settlement = openSettlement(stores);
  const customers = openCustomers(stores);
  const settled = { ...stores, settlement, customers };
  return {
    ...settled,
    purchases: openPurchases(settled),
    recharge: openRecharge(settled),
    webhooks: openWebhooks(settled),
  };
}

function checkDistance(thresholdMicros: number, targetMicros: number): void {
  if (targetMicros - thresholdMicros >= LEAST_MICROS) return;
  const message = `must be at least ${LEAST_MICROS} above threshold_micros`;
  throw invalidInput([{ field: "target_micros", code: "out_of_range", message }]);
}

/** Nothing is sold; what was bought before is still shown. */
function withoutPayments(database: Database): Billing {
  const accounts = openBillingAccounts(database);
  const topUps = openTopUps(database);
  const refuse = async (): Promise<never> => {
    throw new Refusal(
      "payments_unavailable",
      "Payments are not enabled on this server. Ask its administrator for credit.",
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
    receipt: async ({ receiptUrl }) => receiptUrl,
    charged: () => {},
    webhook: refuse,
    sweep: async () => {},
    async [Symbol.asyncDispose]() {},
  };
}
