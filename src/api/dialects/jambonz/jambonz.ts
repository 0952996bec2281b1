/** The custom speech API of jambonz, a telephone platform that calls its speech vendors by it: its addresses, its key and its errors. */
import { Elysia } from "elysia";
import { bearer } from "../../middleware/caller.ts";
import type { Dialect } from "../dialect.ts";
import { callRecognition } from "./call-recognition.ts";
import { callSpeech } from "./call-speech.ts";
import { promptSpeech } from "./prompt-speech.ts";

export const jambonz: Dialect = {
  name: "jambonz",
  own: [],
  shared: [],
  isMeant: () => false,
  namesModels: false,
  secretOf: bearer,
  errorBody: ({ code, message, details }, requestId) => ({
    ...{ error: message, code, request_id: requestId },
    ...(details && { details }),
  }),
  routes: (services) =>
    new Elysia().use(callRecognition(services)).use(promptSpeech(services)).use(callSpeech(services)),
};
