/** Handlers of API keys. Members manage their own, admins and owners all of the organization. */
import type { KeyRecord } from "../../../accounts/keys.ts";
import type { Role } from "../../../accounts/memberships.ts";
import { type Clock, unixSeconds } from "../../../clock.ts";
import { invalidInput, Refusal } from "../../../errors.ts";
import { SCOPES } from "../../../scopes.ts";
import type { accountRoutes } from "../schema/account-routes.ts";
import { page } from "./cursor.ts";
import { type Handlers, notFound, orNotFound, type Reads } from "./handler.ts";

type AccountHandlers = Handlers<typeof accountRoutes>;
type KeyHandlers = Pick<AccountHandlers, Extract<keyof AccountHandlers, `${string}key${string}`>>;

const YEAR_10000 = 253_402_300_800;

export type KeyDeps = Reads<"accounts" | "clock" | "signatures">;

export function keyHandlers({ accounts, clock, signatures }: KeyDeps): KeyHandlers {
  /** The key, if the caller may change it. */
  async function handled({ ids, role, session }: Handling): Promise<KeyRecord> {
    const key = orNotFound("key", await accounts.key(ids.key));
    if (role !== "member" || key.created_by === session.user.id) return key;
    throw new Refusal("insufficient_role", "Members can only change keys that they created.");
  }
  /** Revokes a new key if its creator was removed meanwhile, since removal did not see it. */
  async function stillTheirs<Key extends { id: string }>(made: Key, { organizationId, session }: Belonging) {
    if ((await accounts.roleIn(organizationId, session.user.id)) !== null) return made;
    await accounts.revokeKey(made.id);
    throw notFound("project");
  }
  return {
    "GET /api/organizations/:organization/keys": async ({ organizationId, query }) => {
      const {
        limit,
        cursor,
        project_id = null,
        environment = null,
        status = null,
        created_by = null,
      } = query;
      const filters = { organizationId, projectId: project_id, environment, status, createdBy: created_by };
      const asked = { signatures, filters, limit, cursor };
      return page(asked, (before, limit) => accounts.keysOf({ ...filters, before, limit }));
    },
    "POST /api/projects/:project/keys": async ({ ids, body, ...caller }) => {
      const { name, environment, scopes = SCOPES, expires_at: expiresAt = null } = body;
      checkEnd(expiresAt, clock);
      const createdBy = caller.session.user.id;
      const fields = { projectId: ids.project, name, environment, scopes, expiresAt, createdBy };
      return stillTheirs(await accounts.createKey(fields), caller);
    },
    "POST /api/projects/:project/playground-key": async ({ ids, ...caller }) =>
      stillTheirs(await accounts.playgroundKey(ids.project, caller.session.user.id), caller),
    "GET /api/keys/:key": async ({ ids }) => orNotFound("key", await accounts.key(ids.key)),
    "PATCH /api/keys/:key": async ({ body, ...call }) => {
      const { id } = await handled(call);
      const { expires_at: expiresAt, ...change } = body;
      if (expiresAt !== undefined) checkEnd(expiresAt, clock);
      return orNotFound(
        "key",
        await accounts.updateKey(id, { ...change, ...(expiresAt === undefined ? {} : { expiresAt }) }),
      );
    },
    "POST /api/keys/:key/rotate": async ({ body, ...call }) => {
      const { id } = await handled(call);
      return orNotFound("key", await accounts.rotateKey(id, body.grace_seconds ?? 0));
    },
    "POST /api/keys/:key/revoke": async (call) => {
      const { id } = await handled(call);
      return orNotFound("key", await accounts.revokeKey(id));
    },
  };
}

type Belonging = { organizationId: string; session: { user: { id: string } } };
type Handling = { ids: { key: string }; role: Role; session: { user: { id: string } } };

export function checkEnd(expiresAt: number | null, clock: Clock): void {
  if (expiresAt === null || (expiresAt > unixSeconds(clock) && expiresAt < YEAR_10000)) return;
  throw invalidInput([{ field: "expires_at", code: "out_of_range", message: "must be in the future" }]);
}
