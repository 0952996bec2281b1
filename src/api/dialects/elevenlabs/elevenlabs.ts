/** The API of ElevenLabs: its addresses, its key and its errors. */
import { Elysia } from "elysia";
import type { Code } from "../../../errors.ts";
import type { Dialect } from "../dialect.ts";
import { addedVoices } from "./added-voices.ts";
import { elevenLabsAccount } from "./elevenlabs-account.ts";
import { elevenLabsSecret, KEY_HEADER } from "./elevenlabs-key.ts";
import { elevenLabsModels } from "./elevenlabs-models.ts";
import { elevenLabsTokens } from "./elevenlabs-tokens.ts";
import { elevenLabsVoices } from "./elevenlabs-voices.ts";
import { scribeFile } from "./scribe-file.ts";
import { scribeStream } from "./scribe-stream.ts";
import { speechSockets } from "./speech-sockets.ts";
import { textToSpeech } from "./text-to-speech.ts";

/** Where its clients know another name. */
const STATUSES: Partial<Record<Code, string>> = {
  invalid_voice: "voice_not_found",
  invalid_model: "model_not_found",
};
/** Its names of what our refusals name. */
const PARAMS: Record<string, string> = {
  model: "model_id",
  voice: "voice_id",
  input: "text",
  response_format: "output_format",
  speed: "voice_settings.speed",
};

export const elevenlabs: Dialect = {
  name: "elevenlabs",
  own: ["/v1/text-to-speech", "/v1/speech-to-text", "/v1/user", "/v1/single-use-token", "/v2/voices"],
  shared: ["/v1/models", "/v1/voices"],
  namesModels: true,
  isMeant: (headers) => headers.has(KEY_HEADER),
  secretOf: elevenLabsSecret,
  errorBody: ({ type, code, message, param, details }, requestId) => ({
    detail: {
      ...{ type, code, status: STATUSES[code] ?? code, message },
      ...{ param: param && (PARAMS[param] ?? param), request_id: requestId, ...(details && { details }) },
    },
  }),
  routes: (services) =>
    new Elysia()
      .use(elevenLabsModels(services))
      .use(scribeFile(services))
      .use(scribeStream(services))
      .use(textToSpeech(services))
      .use(speechSockets(services))
      .use(elevenLabsVoices(services))
      .use(addedVoices(services))
      .use(elevenLabsAccount(services))
      .use(elevenLabsTokens(services)),
};
