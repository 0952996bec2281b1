/** Which scope of an admin key each route of the organization API needs. */
import { ADMIN_SCOPES, type AdminScope } from "../../../../src/scopes.ts";

/** Below /v1/organization, with an admin key. */
const ADMIN: Partial<Record<AdminScope, string>> = {
  "usage:read": `GET /costs
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
    GET /spend_limit`,
  "organization:write": `POST /admin_api_keys
    DELETE /admin_api_keys/:admin_key
    POST /projects
    POST /projects/:project
    POST /projects/:project/archive
    POST /spend_limit
    DELETE /spend_limit`,
};

export const ADMIN_TABLE: Record<string, { admin: AdminScope }> = Object.fromEntries(
  ADMIN_SCOPES.flatMap((admin) =>
    (ADMIN[admin] ?? "")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => [line.trim().replace(" ", " /v1/organization"), { admin }]),
  ),
);
