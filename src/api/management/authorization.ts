/**
 * Authorization of the management API: the checks before every route, in this order.
 *
 *   session (401) ──> this site and CSRF token (403) ──> rate of changes (429) ──> membership (404) ──> second factor (403)
 *     ──> role (403) ──> a recent code of the second factor (403)
 *
 * Organizations that the user does not belong to are answered like ones that do not exist.
 */

import { type Role, reaches } from "../../accounts/memberships.ts";
import type { Session } from "../../accounts/principal.ts";
import { unixSeconds } from "../../clock.ts";
import { Refusal, unavailableOnError } from "../../errors.ts";
import { needConfirmation, needSecondFactor } from "../../identity/second-factor-needs.ts";
import { type ManagementDeps, notFound } from "./handlers/handler.ts";
import type { Needs } from "./schema/route.ts";

type Caller =
  | { session: null }
  | { session: Session }
  | { session: Session; role: Role; organizationId: string };

/** `ids`: those of the path; the one named `first` determines the organization. */
type AuthorizedRequest = {
  needs: Needs;
  confirms: boolean;
  request: Request;
  ids: Record<string, string>;
  first: string | null;
};

export type Authorization = (authorized: AuthorizedRequest) => Promise<Caller>;

type AuthorizationDeps = Pick<ManagementDeps, "accounts" | "identity" | "ledger" | "config" | "clock">;

/** The form of all ids. */
const ID = /^[\w.-]{1,100}$/;

export function openAuthorization(deps: AuthorizationDeps): Authorization {
  const authorized = openRoles(deps);
  return async (call) => {
    const caller = await authorized(call);
    if (call.confirms && caller.session) needConfirmation(caller.session, unixSeconds(deps.clock));
    return caller;
  };
}

function openRoles(deps: AuthorizationDeps): Authorization {
  const { identity, accounts, config } = deps;
  const asking = { accounts, config: config.identity };
  return async ({ needs, request, ids, first }) => {
    if (needs === "anyone") return { session: null };
    const session = await unavailableOnError("The accounts", identity.session(request.headers));
    if (!session) throw new Refusal("not_signed_in", "Sign in first.");
    if (request.method !== "GET") {
      await unavailableOnError("The accounts", identity.checkChange(request, session));
      await identity.countChange(session.user.id);
    }
    for (const [kind, id] of Object.entries(ids)) if (!ID.test(id)) throw notFound(kind);
    if (needs === "user") {
      if (request.method !== "GET") await needSecondFactor(asking, session, null);
      return { session };
    }
    if (needs === "operator") {
      const caller = operator(session);
      await needSecondFactor(asking, session, null);
      return caller;
    }
    return unavailableOnError(
      "The accounts",
      memberOf(deps, { session, needs, kind: first!, id: ids[first!]! }),
    );
  };
}

function operator(session: Session): Caller {
  if (session.user.operator) return { session };
  throw new Refusal("operator_required", "Operator access required.");
}

type MemberCheck = { session: Session; needs: Role; kind: string; id: string };

async function memberOf(deps: AuthorizationDeps, { session, needs, kind, id }: MemberCheck): Promise<Caller> {
  const userId = session.user.id;
  const organizationId = await OWNERS[kind]!(deps, id, userId);
  const role = organizationId === null ? null : await deps.accounts.roleIn(organizationId, userId);
  if (organizationId === null || role === null) throw notFound(kind);
  const { accounts, config } = deps;
  await needSecondFactor({ accounts, config: config.identity }, session, organizationId);
  if (reaches(role, needs)) return { session, role, organizationId };
  throw needs === "owner"
    ? new Refusal("owner_required", "Only an owner of the organization may do this.")
    : new Refusal("insufficient_role", "Only an admin or an owner of the organization may do this.");
}

type Owner = (deps: AuthorizationDeps, id: string, userId: string) => Promise<string | null>;

/** The organization of an id, by its name in the path. */
const OWNERS: Record<string, Owner> = {
  organization: async (_deps, id) => id,
  project: async ({ accounts }, id) => (await accounts.project(id))?.organizationId ?? null,
  key: async ({ accounts }, id) => (await accounts.key(id))?.organization_id ?? null,
  adminKey: async ({ accounts }, id) => (await accounts.adminKey(id))?.organization_id ?? null,
  async serviceAccount({ accounts }, id) {
    const account = await accounts.serviceAccount(id);
    return account && ((await accounts.project(account.projectId))?.organizationId ?? null);
  },
  async request({ accounts, ledger }, id, userId) {
    for (const { organization } of await accounts.memberships(userId))
      if (await ledger.request(organization.id, id)) return organization.id;
    return null;
  },
};
