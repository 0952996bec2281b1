/** Handlers of API keys. Members manage their own, admins and owners all of the organization. */
import { placeOfKey } from "../../../accounts/key-list.ts";
import type { KeyRecord, KeyWithSecret } from "../../../accounts/key-record.ts";
import type { Role } from "../../../accounts/memberships.ts";
import { usedOf, withBudgetUse } from "../../../budget-use.ts";
import { type Clock, unixSeconds } from "../../../clock.ts";
import { invalidInput, Refusal } from "../../../errors.ts";
import type { NewRestrictions } from "../../../restrictions.ts";
import { USUAL_SCOPES } from "../../../scopes.ts";
import type { accountRoutes } from "../schema/account-routes.ts";
import { page } from "./cursor.ts";
import { type Handlers, notFound, orNotFound, type Reads } from "./handler.ts";

type AccountHandlers = Handlers<typeof accountRoutes>;
type KeyHandlers = Pick<AccountHandlers, Extract<keyof AccountHandlers, `${string}key${string}`>>;

const YEAR_10000 = 253_402_300_800;

export type KeyDeps = Reads<"accounts" | "clock" | "ledger" | "signatures">;

export function keyHandlers({ accounts, clock, ledger, signatures }: KeyDeps): KeyHandlers {
  const found = (key: KeyRecord | null) => usedOf(ledger, orNotFound("key", key));
  /** The key, if the caller may change it. */
  async function handled({ ids, role, session }: Handling): Promise<KeyRecord> {
    const key = orNotFound("key", await accounts.key(ids.key));
    if (role !== "member" || key.created_by === session.user.id) return key;
    throw new Refusal("insufficient_role", "Members can only change keys that they created.");
  }
  /** Revokes a new key if its creator was removed meanwhile, since removal did not see it. */
  async function stillTheirs(made: KeyWithSecret, { organizationId, session }: Belonging) {
    if ((await accounts.roleIn(organizationId, session.user.id)) !== null) return usedOf(ledger, made);
    await accounts.revokeKey(made.id);
    throw notFound("project");
  }
  return {
    "GET /api/organizations/:organization/keys": async ({ organizationId, query }) => {
      const { limit, cursor, order = "newest", playground, search = "" } = query;
      const filters = {
        ...{ organizationId, projectId: query.project_id ?? null, environment: query.environment ?? null },
        ...{ status: query.status ?? null, createdBy: query.created_by ?? null, search },
        isWithoutPlayground: playground === "excluded",
      };
      const asked = { signatures, filters: { ...filters, order }, limit, cursor };
      const [keys, total] = await Promise.all([
        page({ ...asked, placeOf: (key: KeyRecord) => placeOfKey(key, order) }, (before, limit) =>
          accounts.keysOf({ ...filters, order, before, limit }),
        ),
        accounts.countKeys(filters),
      ]);
      return { ...keys, data: await withBudgetUse(ledger, keys.data), total };
    },
    "POST /api/projects/:project/keys": async ({ ids, body, ...caller }) => {
      const { name, environment, scopes = USUAL_SCOPES, expires_at: expiresAt = null } = body;
      checkEnd(expiresAt, clock);
      checkRestricting(body, caller.role);
      const createdBy = caller.session.user.id;
      const fields = {
        projectId: ids.project,
        name,
        environment,
        scopes,
        expiresAt,
        createdBy,
        ...restrictingOf(body),
      };
      return stillTheirs(await accounts.createKey(fields), caller);
    },
    "POST /api/projects/:project/playground-key": async ({ ids, ...caller }) =>
      stillTheirs(await accounts.playgroundKey(ids.project, caller.session.user.id), caller),
    "GET /api/keys/:key": async ({ ids }) => found(await accounts.key(ids.key)),
    "PATCH /api/keys/:key": async ({ body, ...call }) => {
      const { id } = await handled(call);
      const { expires_at: expiresAt, restrictions: _, reset_budget: __, ...change } = body;
      if (expiresAt !== undefined) checkEnd(expiresAt, clock);
      checkRestricting(body, call.role);
      return found(
        await accounts.updateKey(id, {
          ...change,
          ...restrictingOf(body),
          ...(expiresAt === undefined ? {} : { expiresAt }),
        }),
      );
    },
    "POST /api/keys/:key/rotate": async ({ body, ...call }) => {
      const { id } = await handled(call);
      return usedOf(ledger, orNotFound("key", await accounts.rotateKey(id, body.grace_seconds ?? 0)));
    },
    "POST /api/keys/:key/revoke": async (call) => {
      const { id } = await handled(call);
      return found(await accounts.revokeKey(id));
    },
  };
}

type Restricting = { restrictions?: NewRestrictions | null; reset_budget?: boolean };

/** As the accounts are told, where the caller said anything of it. */
export const restrictingOf = ({ restrictions, reset_budget: resetBudget }: Restricting) => ({
  ...(restrictions !== undefined && { restrictions }),
  ...(resetBudget !== undefined && { resetBudget }),
});

/** A member who could lift what restricts a key would not be restricted. */
function checkRestricting({ restrictions, reset_budget }: Restricting, role: Role): void {
  if (role !== "member" || (restrictions === undefined && reset_budget === undefined)) return;
  throw new Refusal("insufficient_role", "Only owners and admins can change what restricts a key.");
}

type Belonging = { organizationId: string; session: { user: { id: string } } };
type Handling = { ids: { key: string }; role: Role; session: { user: { id: string } } };

export function checkEnd(expiresAt: number | null, clock: Clock): void {
  if (expiresAt === null || (expiresAt > unixSeconds(clock) && expiresAt < YEAR_10000)) return;
  throw invalidInput([{ field: "expires_at", code: "out_of_range", message: "must be in the future" }]);
}
