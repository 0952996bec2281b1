/**
 * Authentication of the organization API: the admin key of a request, its rate, and the scope that a route needs.
 *
 *   another kind of key (403) ──> the key (401) ──> rate (429) ──> scope (403) ──> suspended (403, changes only)
 */
import type { Accounts } from "../../../accounts/accounts.ts";
import type { AdminPrincipal } from "../../../accounts/principal.ts";
import { isClientSecret, isSecret } from "../../../accounts/secret.ts";
import type { Clock } from "../../../clock.ts";
import { Refusal } from "../../../errors.ts";
import { openRate } from "../../../limits/request-rate.ts";
import type { AdminScope } from "../../../scopes.ts";
import { bearer } from "../../middleware/caller.ts";

export type AdminAccess = (request: Request, scope: AdminScope) => Promise<AdminPrincipal>;

/** Of an organization. */
const PER_MINUTE = 600;

export function openAdminAccess(accounts: Pick<Accounts, "authenticateAdmin">, clock: Clock): AdminAccess {
  const count = openRate(PER_MINUTE, clock);
  return async (request, scope) => {
    const secret = bearer(request.headers);
    if (isSecret(secret) || isClientSecret(secret)) throw otherKind();
    const principal = await accounts.authenticateAdmin(secret);
    count(principal.organizationId, "Admin keys of your organization may send requests");
    if (!principal.scopes.has(scope))
      throw new Refusal("insufficient_scope", `This admin key lacks the scope ${scope}.`);
    if (principal.closed && request.method !== "GET") throw principal.closed();
    return principal;
  };
}

const otherKind = () =>
  new Refusal(
    "insufficient_scope",
    'This address needs an admin key (sk_admin_…). Create one in the dashboard under Automation, or with "loquat admin-keys create".',
  );
