/**
 * POST /v1/single-use-token/{type} as ElevenLabs has it: a token that a page sends once in place of the key. Counts as
 * one request of the rate limit.
 */
import { Elysia } from "elysia";
import { grantOf } from "../../../accounts/grants.ts";
import { isClientSecret } from "../../../accounts/secret.ts";
import { invalidInput, Refusal } from "../../../errors.ts";
import type { Scope } from "../../../scopes.ts";
import { ignoreBody } from "../../middleware/body/body.ts";
import { rateLimitHeaders } from "../../middleware/response-headers.ts";
import type { DialectServices } from "../dialect.ts";
import { elevenLabsSecret } from "./elevenlabs-key.ts";

type TokenDeps = Pick<DialectServices, "access" | "accounts" | "meter" | "timeouts">;

const LIFE_SECONDS = 900; // as its clients are told

/** What a token of each type is for. */
const TYPES: Record<string, readonly Scope[]> = {
  realtime_scribe: ["transcription:create", "realtime:connect"],
  batch_scribe: ["transcription:create"],
  tts_websocket: ["speech:create"],
};

export const elevenLabsTokens = ({ access, accounts, meter, timeouts }: TokenDeps) =>
  new Elysia().post(
    "/elevenlabs/v1/single-use-token/:type",
    async ({ request, params, set }) => {
      const principal = await access(request, null);
      if (isClientSecret(elevenLabsSecret(request.headers))) throw notByTokens();
      await meter.takeRequest(principal, (states) => Object.assign(set.headers, rateLimitHeaders(states)));
      await ignoreBody(request, timeouts);
      const scopes = Object.hasOwn(TYPES, params.type) ? TYPES[params.type] : undefined;
      if (!scopes) throw unknownType();
      const session = grantOf(scopes, { once: true });
      const { keyId } = principal;
      const { secret } = await accounts.mintClientSecret({ keyId, session, seconds: LIFE_SECONDS });
      return { token: secret };
    },
    { parse: "none", detail: { hide: true } },
  );

const unknownType = () =>
  invalidInput([
    { field: "token_type", code: "not_one_of", message: `must be one of ${Object.keys(TYPES).join(", ")}` },
  ]);

const notByTokens = () =>
  new Refusal("insufficient_scope", "A token cannot make others: send the API key itself.");
