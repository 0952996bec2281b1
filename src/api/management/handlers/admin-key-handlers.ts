/** Handlers of admin keys, which only owners see and change: such a key may do what an owner may. */
import { ADMIN_SCOPES } from "../../../scopes.ts";
import type { adminKeyRoutes } from "../schema/admin-key-routes.ts";
import { page } from "./cursor.ts";
import { type Handlers, notFound, orNotFound } from "./handler.ts";
import { checkEnd, type KeyDeps } from "./key-handlers.ts";

export function adminKeyHandlers({ accounts, clock, signatures }: KeyDeps): Handlers<typeof adminKeyRoutes> {
  return {
    "GET /api/organizations/:organization/admin-keys": async ({ organizationId, query }) => {
      const filters = { organizationId, withRevoked: true, order: "desc" } as const;
      return page({ signatures, filters, ...pagedBy(query) }, (after, limit) =>
        accounts.adminKeysOf({ ...filters, after, limit }),
      );
    },
    "POST /api/organizations/:organization/admin-keys": async ({ organizationId, session, body }) => {
      const { name, scopes = ADMIN_SCOPES, expires_at: expiresAt = null } = body;
      checkEnd(expiresAt, clock);
      const createdBy = session.user.id;
      const made = await accounts.createAdminKey({ organizationId, name, scopes, expiresAt, createdBy });
      if ((await accounts.roleIn(organizationId, createdBy)) === "owner") return made;
      await accounts.revokeAdminKey(made.id); // the change that ended the ownership meanwhile did not see it
      throw notFound("organization");
    },
    "POST /api/admin-keys/:adminKey/revoke": async ({ ids }) =>
      orNotFound("admin key", await accounts.revokeAdminKey(ids.adminKey)),
  };
}

const pagedBy = ({ limit, cursor }: { limit?: number; cursor?: string }) => ({ limit, cursor });
