/**
 * Who may pass: the checks before every route of the management API, in one place and in this order.
 *
 *   signed in? (401) ──> no forgery? (403) ──> not too often? (429) ──> theirs? (404) ──> allowed there? (403)
 *
 * An organization that somebody is not in and one that does not exist get the same answer.
 */

import { type Role, reaches } from "../../accounts/memberships.ts";
import type { Session } from "../../accounts/principal.ts";
import { Refusal, unavailableOnError } from "../../errors.ts";
import type { Signatures } from "../../identity/hmac.ts";
import { type ManagementDeps, notFound } from "./handlers/handler.ts";
import type { Needs } from "./schema/route.ts";

type Caller =
  | { session: null }
  | { session: Session }
  | { session: Session; role: Role; organizationId: string };

/** `ids` are those of the path; what it names `first` decides whose it is. */
type Visit = { needs: Needs; request: Request; ids: Record<string, string>; first: string | null };

export type Authorization = (visit: Visit) => Promise<Caller>;

type GateParts = Pick<ManagementDeps, "accounts" | "identity" | "ledger"> & { signatures: Signatures };

/** Nothing here has an id of another form. */
const ID = /^[\w.-]{1,100}$/;

export function openAuthorization(parts: GateParts): Authorization {
  const { identity, signatures } = parts;
  return async ({ needs, request, ids, first }) => {
    if (needs === "anyone") return { session: null };
    const session = await unavailableOnError("The accounts", identity.session(request.headers));
    if (!session) throw new Refusal("not_signed_in", "Sign in first.");
    const token = request.headers.get("x-csrf-token") ?? "";
    if (request.method !== "GET" && !(await signatures.verify("csrf", session.id, token)))
      throw new Refusal("csrf_failed", "Send the csrf_token of GET /api/session as X-CSRF-Token.");
    if (request.method !== "GET") await identity.countChange(session.user.id);
    for (const [kind, id] of Object.entries(ids)) if (!ID.test(id)) throw notFound(kind);
    if (needs === "user") return { session };
    if (needs === "operator") return operator(session);
    return unavailableOnError(
      "The accounts",
      memberOf(parts, { session, needs, kind: first!, id: ids[first!]! }),
    );
  };
}

function operator(session: Session): Caller {
  if (session.user.operator) return { session };
  throw new Refusal("operator_required", "This is for whoever runs this server.");
}

type Entering = { session: Session; needs: Role; kind: string; id: string };

async function memberOf(parts: GateParts, { session, needs, kind, id }: Entering): Promise<Caller> {
  const userId = session.user.id;
  const organizationId = await OWNERS[kind]!(parts, id, userId);
  const role = organizationId === null ? null : await parts.accounts.roleIn(organizationId, userId);
  if (organizationId === null || role === null) throw notFound(kind);
  if (reaches(role, needs)) return { session, role, organizationId };
  throw needs === "owner"
    ? new Refusal("owner_required", "Only an owner of the organization may do this.")
    : new Refusal("insufficient_role", "Only an admin or an owner of the organization may do this.");
}

type Owner = (parts: GateParts, id: string, userId: string) => Promise<string | null>;

/** The organization that an id belongs to, by what the path calls it. */
const OWNERS: Record<string, Owner> = {
  organization: async (_parts, id) => id,
  project: async ({ accounts }, id) => (await accounts.project(id))?.organizationId ?? null,
  key: async ({ accounts }, id) => (await accounts.key(id))?.organization_id ?? null,
  async request({ accounts, ledger }, id, userId) {
    for (const { organization } of await accounts.memberships(userId))
      if (await ledger.request(organization.id, id)) return organization.id;
    return null;
  },
};
