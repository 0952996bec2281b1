/** Handlers of service accounts, whose keys belong to no person: only owners make them. */
import { usedOf } from "../../../budget-use.ts";
import { USUAL_SCOPES } from "../../../scopes.ts";
import type { serviceAccountRoutes } from "../schema/service-account-routes.ts";
import { type Handlers, listed, orNotFound } from "./handler.ts";
import { checkEnd, type KeyDeps } from "./key-handlers.ts";

type ServiceAccountDeps = Pick<KeyDeps, "accounts" | "clock" | "ledger">;

export function serviceAccountHandlers({
  accounts,
  clock,
  ledger,
}: ServiceAccountDeps): Handlers<typeof serviceAccountRoutes> {
  return {
    "GET /api/organizations/:organization/service-accounts": async ({ organizationId }) => {
      const used = await accounts.serviceAccountsIn(organizationId);
      return listed(
        used.map(({ account, keys, lastUsedAt }) => ({
          ...{ id: account.id, object: "service_account" as const, project_id: account.projectId },
          ...{ name: account.name, created_at: account.createdAt, keys, last_used_at: lastUsedAt },
        })),
      );
    },
    "POST /api/projects/:project/service-accounts": async ({ ids, body }) => {
      const { name, environment, scopes = USUAL_SCOPES, expires_at: expiresAt = null } = body;
      checkEnd(expiresAt, clock);
      const of = { projectId: ids.project, name };
      const fields = { name, environment, scopes, expiresAt };
      return usedOf(ledger, (await accounts.createServiceAccountWithKey(of, fields)).key);
    },
    "POST /api/service-accounts/:serviceAccount/keys": async ({ ids, body }) => {
      const { name, environment, scopes = USUAL_SCOPES, expires_at: expiresAt = null } = body;
      checkEnd(expiresAt, clock);
      const account = orNotFound("service account", await accounts.serviceAccount(ids.serviceAccount));
      const fields = { name, environment, scopes, expiresAt };
      return usedOf(ledger, await accounts.createServiceAccountKey(account, fields));
    },
    "DELETE /api/service-accounts/:serviceAccount": async ({ ids }) => {
      orNotFound("service account", await accounts.deleteServiceAccount(ids.serviceAccount));
    },
  };
}
