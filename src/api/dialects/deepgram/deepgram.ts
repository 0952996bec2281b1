/** The API of Deepgram: its addresses, its key and its errors. */
import { Elysia } from "elysia";
import type { Code } from "../../../errors.ts";
import { type Dialect, schemeSecret } from "../dialect.ts";
import { deepgramAccount } from "./deepgram-account.ts";
import { deepgramSecret } from "./deepgram-key.ts";
import { deepgramModels } from "./deepgram-models.ts";
import { fluxStream } from "./flux-stream.ts";
import { listenFile } from "./listen-file.ts";
import { listenStream } from "./listen-stream.ts";
import { speakRoutes } from "./speak.ts";
import { speakSocket } from "./speak-socket.ts";

/** By its documentation; others are ours in capitals. */
const CODES: Partial<Record<Code, string>> = {
  missing_api_key: "INVALID_AUTH",
  invalid_api_key: "INVALID_AUTH",
  insufficient_scope: "INSUFFICIENT_PERMISSIONS",
  insufficient_credits: "ASR_PAYMENT_REQUIRED",
  rate_limit_exceeded: "TOO_MANY_REQUESTS",
  concurrency_limit_exceeded: "TOO_MANY_REQUESTS",
};

export const deepgram: Dialect = {
  name: "deepgram",
  own: ["/v1/listen", "/v2/listen", "/v1/speak", "/v2/speak", "/v1/auth", "/v1/projects"],
  shared: ["/v1/models"],
  namesModels: true,
  isMeant: (headers) => schemeSecret(headers, "token") !== null,
  secretOf: deepgramSecret,
  errorBody: ({ code, message }, requestId) => ({
    err_code: CODES[code] ?? code.toUpperCase(),
    err_msg: message,
    request_id: requestId,
    code,
  }),
  routes: (services) =>
    new Elysia()
      .use(deepgramModels(services))
      .use(listenFile(services))
      .use(listenStream(services))
      .use(fluxStream(services))
      .use(speakRoutes(services))
      .use(speakSocket(services))
      .use(deepgramAccount(services)),
};
