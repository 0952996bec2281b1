/** The terms of a request, by its organization's plan: its limits, and the credit that it needs. */
import type { Principal } from "../accounts/principal.ts";
import type { Credit, Ledger } from "../ledger/ledger.ts";
import { type Limits, limitsOf } from "../limits/tiers.ts";

/** `machine`: the limits of unmetered organizations. */
export type TermsDeps = { ledger: Pick<Ledger, "credit">; machine: Limits };

/** `credit`: null if none is needed. */
export type Terms = { allowed: Limits; credit: Credit | null };

/** The plan comes with the principal; an unmetered organization's account is not read. */
export async function termsOf({ ledger, machine }: TermsDeps, principal: Principal): Promise<Terms> {
  if (principal.plan === "unmetered") return { allowed: limitsOf(principal, 0, machine), credit: null };
  const credit = await ledger.credit(principal.organizationId);
  return { allowed: limitsOf(principal, credit.purchasedMicros, machine), credit };
}
