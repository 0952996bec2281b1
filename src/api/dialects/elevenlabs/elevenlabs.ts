/** The API of ElevenLabs: its addresses, its key and its errors. */
import { Elysia } from "elysia";
import type { Dialect } from "../dialect.ts";
import { elevenLabsSecret, KEY_HEADER } from "./elevenlabs-key.ts";
import { elevenLabsModels } from "./elevenlabs-models.ts";
import { scribeFile } from "./scribe-file.ts";
import { scribeStream } from "./scribe-stream.ts";

export const elevenlabs: Dialect = {
  name: "elevenlabs",
  own: ["/v1/text-to-speech", "/v1/speech-to-text", "/v1/user", "/v2/voices"],
  shared: ["/v1/models", "/v1/voices"],
  isMeant: (headers) => headers.has(KEY_HEADER),
  secretOf: elevenLabsSecret,
  errorBody: ({ type, code, message, param, details }, requestId) => ({
    detail: { type, code, status: code, message, param, request_id: requestId, ...(details && { details }) },
  }),
  routes: (services) =>
    new Elysia().use(elevenLabsModels(services)).use(scribeFile(services)).use(scribeStream(services)),
};
