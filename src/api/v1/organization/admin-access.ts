/**
 * Authentication of the organization API: the admin key of a request, its rate, and the scope that a route needs.
 *
 *   another kind of key (403) ──> the key (401) ──> rate (429) ──> scope (403) ──> suspended (403, changes only)
 */
import type { Accounts } from "../../../accounts/accounts.ts";
import { suspended } from "../../../accounts/authenticate.ts";
import type { AdminPrincipal } from "../../../accounts/principal.ts";
import { isClientSecret, isSecret } from "../../../accounts/secret.ts";
import type { Clock } from "../../../clock.ts";
import { Refusal, retrySeconds } from "../../../errors.ts";
import { type Bucket, take } from "../../../limits/bucket.ts";
import type { AdminScope } from "../../../scopes.ts";
import { bearer } from "../../middleware/authentication.ts";

export type AdminAccess = (request: Request, scope: AdminScope) => Promise<AdminPrincipal>;

/** Of an organization, counted by each node: they cost reads, and no engine's time. */
const PER_MINUTE = 600;
const ORGANIZATIONS_MAX = 10_000;

export function openAdminAccess(accounts: Pick<Accounts, "authenticateAdmin">, clock: Clock): AdminAccess {
  const buckets = new Map<string, Bucket>();

  function count(organizationId: string): void {
    const taken = take(buckets.get(organizationId) ?? null, PER_MINUTE, { cost: 1, now: clock.now() });
    buckets.delete(organizationId); // the one that was used last is last
    if (buckets.size >= ORGANIZATIONS_MAX) buckets.delete(buckets.keys().next().value!);
    buckets.set(organizationId, taken.bucket);
    if (taken.admitted) return;
    const message = `Admin keys of your organization may send ${PER_MINUTE} requests a minute.`;
    throw new Refusal("rate_limit_exceeded", message, { retryAfterSeconds: retrySeconds(taken.retryMs) });
  }

  return async (request, scope) => {
    const secret = bearer(request.headers);
    if (isSecret(secret) || isClientSecret(secret)) throw otherKind();
    const principal = await accounts.authenticateAdmin(secret);
    count(principal.organizationId);
    if (!principal.scopes.has(scope))
      throw new Refusal("insufficient_scope", `This admin key lacks the scope ${scope}.`);
    if (principal.isSuspended && request.method !== "GET") throw suspended();
    return principal;
  };
}

const otherKind = () =>
  new Refusal(
    "insufficient_scope",
    'This address needs an admin key (sk_admin_…). Create one with "loquat admin-keys create".',
  );
