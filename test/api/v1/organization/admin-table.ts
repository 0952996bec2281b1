/** Which scope of an admin key each route of the organization API needs. */
import { ADMIN_SCOPES, type AdminScope } from "../../../../src/scopes.ts";

/** Below /v1/organization, with an admin key. */
const ADMIN: Partial<Record<AdminScope, string>> = {
  "usage:read": `GET /costs
    GET /requests
    GET /usage/audio_speeches
    GET /usage/audio_transcriptions
    GET /usage/completions
    GET /usage/embeddings
    GET /usage/moderations
    GET /usage/images
    GET /usage/vector_stores
    GET /usage/code_interpreter_sessions
    GET /usage/file_search_calls
    GET /usage/web_search_calls`,
  "organization:read": `GET /admin_api_keys
    GET /admin_api_keys/:admin_key
    GET /projects
    GET /projects/:project
    GET /projects/:project/api_keys
    GET /projects/:project/api_keys/:api_key
    GET /projects/:project/service_accounts
    GET /projects/:project/service_accounts/:service_account
    GET /audit_logs
    GET /users
    GET /users/:user
    GET /invites
    GET /invites/:invite
    GET /spend_limit
    GET /spend_alerts
    GET /spend_alerts/:spend_alert
    GET /projects/:project/spend_alerts
    GET /projects/:project/spend_alerts/:spend_alert
    GET /data_retention
    GET /projects/:project/data_retention
    GET /projects/:project/rate_limits
    GET /projects/:project/model_permissions
    GET /projects/:project/spend_limit`,
  "organization:write": `POST /admin_api_keys
    DELETE /admin_api_keys/:admin_key
    POST /projects
    POST /projects/:project
    POST /projects/:project/archive
    POST /data_retention
    POST /projects/:project/data_retention
    POST /projects/:project/api_keys
    POST /projects/:project/api_keys/:api_key
    DELETE /projects/:project/api_keys/:api_key
    POST /projects/:project/service_accounts
    POST /projects/:project/service_accounts/:service_account
    DELETE /projects/:project/service_accounts/:service_account
    POST /projects/:project/service_accounts/:service_account/api_keys
    POST /users/:user
    DELETE /users/:user
    POST /invites
    DELETE /invites/:invite
    POST /spend_limit
    POST /spend_alerts
    POST /spend_alerts/:spend_alert
    DELETE /spend_alerts/:spend_alert
    POST /projects/:project/spend_alerts
    POST /projects/:project/spend_alerts/:spend_alert
    DELETE /projects/:project/spend_alerts/:spend_alert
    DELETE /spend_limit
    POST /projects/:project/rate_limits/:rate_limit
    POST /projects/:project/model_permissions
    DELETE /projects/:project/model_permissions
    POST /projects/:project/spend_limit
    DELETE /projects/:project/spend_limit`,
};

export const ADMIN_TABLE: Record<string, { admin: AdminScope }> = Object.fromEntries(
  ADMIN_SCOPES.flatMap((admin) =>
    (ADMIN[admin] ?? "")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => [line.trim().replace(" ", " /v1/organization"), { admin }]),
  ),
);
