/**
 * Authentication of the webhook routes: an API key with the scope `webhook:manage`, for its project, or an admin key with
 * `webhooks:write`, for the organization.
 */
import { isAdminSecret } from "../../../accounts/secret.ts";
import type { Actor } from "../../../audit/actor.ts";
import type { EndpointOwner } from "../../../db/queries/webhook-endpoints.ts";
import { bearer } from "../../middleware/caller.ts";
import type { AdminAccess } from "../organization/admin-access.ts";
import { type KeyAccessDeps, openKeyAccess } from "../organization/key-access.ts";

export type WebhookAccess = (
  request: Request,
) => Promise<{ principal: EndpointOwner; actor: Pick<Actor, "type" | "id"> }>;

export function openWebhookAccess({ admin, ...deps }: KeyAccessDeps & { admin: AdminAccess }): WebhookAccess {
  const byKey = openKeyAccess(deps, ["webhook:manage"], "manage webhooks");
  return async (request) => {
    if (isAdminSecret(bearer(request.headers))) {
      const { organizationId, keyId } = await admin(request, "webhooks:write");
      return { principal: { organizationId, projectId: null }, actor: { type: "admin_key", id: keyId } };
    }
    const { organizationId, projectId, keyId } = await byKey(request);
    return { principal: { organizationId, projectId }, actor: { type: "api_key", id: keyId } };
  };
}
