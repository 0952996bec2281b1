/** Buying credit: checkout, cards, auto-recharge, and what Stripe tells of them. */
import type { Clock } from "../clock.ts";
import type { StripeConfig } from "../config.ts";
import type { Database, Tables } from "../db/open.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { Log } from "../log.ts";

export type TopUp = Tables["topUp"]["$inferSelect"];
export type BillingAccount = Tables["billingAccount"]["$inferSelect"];

export type Billing = AsyncDisposable & {
  /** Whether this server takes payments at all. */
  available: boolean;
  /** An organization's card and auto-recharge; defaults where it has neither. */
  account(organizationId: string): Promise<BillingAccount>;
  /** Something was spent: where that took the balance below a threshold, the card is charged. Never throws, never waits. */
  charged(organizationId: string): void;
  /** What Stripe tells, with its signature. Durable when it resolves. */
  webhook(body: string, signature: string | null): Promise<void>;
};

export type BillingParts = {
  database: Database;
  ledger: Ledger;
  config: StripeConfig | null;
  /** Where browsers find this server. */
  origin: () => string;
  clock: Clock;
  log: Log;
};

export function openBilling(_parts: BillingParts): Billing {
  return {
    available: false,
    account: async () => {
      throw new Error("not written yet");
    },
    charged: () => {},
    webhook: async () => {},
    async [Symbol.asyncDispose]() {},
  };
}
