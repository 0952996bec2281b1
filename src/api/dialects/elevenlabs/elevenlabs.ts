/** The API of ElevenLabs: its addresses, its key and its errors. */
import { Elysia } from "elysia";
import { bearer } from "../../middleware/authentication.ts";
import type { Dialect } from "../dialect.ts";
import { elevenLabsModels } from "./elevenlabs-models.ts";
import { scribeFile } from "./scribe-file.ts";

const KEY_HEADER = "xi-api-key";

export const elevenlabs: Dialect = {
  name: "elevenlabs",
  own: ["/v1/text-to-speech", "/v1/speech-to-text", "/v1/user", "/v2/voices"],
  shared: ["/v1/models", "/v1/voices"],
  isMeant: (headers) => headers.has(KEY_HEADER),
  secretOf: (headers) => headers.get(KEY_HEADER)?.trim() || bearer(headers),
  errorBody: ({ type, code, message, param, details }, requestId) => ({
    detail: { type, code, status: code, message, param, request_id: requestId, ...(details && { details }) },
  }),
  routes: (services) => new Elysia().use(elevenLabsModels(services)).use(scribeFile(services)),
};
