/** The settings of payments by Stripe. */
import { address, ConfigError, type Environment, oneOf } from "./environment.ts";
import { type Secret, secret } from "./secrets.ts";

export type StripeConfig = {
  key: Secret;
  webhookSecret: Secret;
  /** Null for Stripe's own API. */
  url: string | null;
  /** Whether payments get invoices. */
  invoices: boolean;
  /** Null: no tax is added. `code`: Stripe's of what is sold; null for the account's. */
  tax: { code: string | null } | null;
};

/** Both secrets or none: without the second, a webhook cannot be verified. */
export function readStripe(environment: Environment): StripeConfig | null {
  const key = secret(environment, "STRIPE_SECRET_KEY");
  const webhookSecret = secret(environment, "STRIPE_WEBHOOK_SECRET");
  const invoices = oneOf(environment, "STRIPE_INVOICES") === "1";
  const isTaxed = oneOf(environment, "STRIPE_TAX") === "1";
  if (key === null && webhookSecret === null) return null;
  if (key === null || webhookSecret === null)
    throw new ConfigError("STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET must be set together.");
  if (isTaxed && !invoices) throw new ConfigError("STRIPE_TAX=1 needs STRIPE_INVOICES=1.");
  const code = environment.STRIPE_TAX_CODE || null;
  const tax = isTaxed ? { code } : null;
  return { key, webhookSecret, url: address(environment, "STRIPE_API_URL"), invoices, tax };
}
