/** Moves an organization between plans. */
import type { Accounts } from "../accounts/accounts.ts";
import type { Organization } from "../accounts/organizations.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { Plan } from "../plans.ts";

type PlanDeps = {
  accounts: Pick<Accounts, "organization" | "setPlan">;
  ledger: Pick<Ledger, "grantStarting">;
};

/**
 * An organization that becomes prepaid gets its starting credit first, once in its life. Requests in flight are settled
 * under the plan that they were admitted under. Null if there is no such organization.
 */
export async function movePlan(
  { accounts, ledger }: PlanDeps,
  organizationId: string,
  plan: Plan,
): Promise<Organization | null> {
  const organization = await accounts.organization(organizationId);
  if (!organization || organization.plan === plan) return organization;
  if (plan === "prepaid") await ledger.grantStarting(organizationId);
  return accounts.setPlan(organizationId, plan);
}
