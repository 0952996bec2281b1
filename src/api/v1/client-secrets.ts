/**
 * POST /v1/realtime/client_secrets, and the beta's /v1/realtime/transcription_sessions: creates a secret for browsers
 * that opens realtime sessions with these settings for a limited time. Counts as one request of the rate limit.
 */
import { Elysia } from "elysia";
import Type from "typebox";
import type { Accounts } from "../../accounts/accounts.ts";
import type { Principal } from "../../accounts/principal.ts";
import type { Clock } from "../../clock.ts";
import { invalidInput } from "../../errors.ts";
import { newId } from "../../ids.ts";
import type { CatalogueFor } from "../../models/live-catalogue.ts";
import { DEFAULTS, sessionObject } from "../../realtime/settings.ts";
import { checker } from "../../schema.ts";
import type { Meter } from "../../usage/meter.ts";
import type { Authentication } from "../middleware/authentication.ts";
import { type BodyTimeouts, readJson } from "../middleware/body/body.ts";
import { rateLimitHeaders } from "../middleware/response-headers.ts";
import { json, LIMIT_HEADERS, METERED_REFUSALS, operation, ref } from "../openapi/operation.ts";
import type { DescribeConversation } from "./conversation/open-conversation.ts";
import { readSession, resolveSettings, updateOf } from "./realtime/settings-schema.ts";

export type ClientSecretDeps = {
  access: Authentication;
  accounts: Accounts;
  catalogueFor: CatalogueFor;
  meter: Meter;
  timeouts: BodyTimeouts;
  clock: Clock;
  describeConversation: DescribeConversation;
};

const LIFE_SECONDS = 600;
const BODY_LIMIT = 256 * 1024; // instructions and tools of conversations

const Body = Type.Object({
  expires_after: Type.Optional(
    Type.Union(
      [
        Type.Object({
          anchor: Type.Optional(Type.Enum(["created_at"], { description: "From when the seconds count." })),
          seconds: Type.Optional(
            Type.Integer({
              minimum: 10,
              maximum: 7200,
              default: LIFE_SECONDS,
              description: "How long it is valid.",
            }),
          ),
        }),
        Type.Null(),
      ],
      { description: "When the secret expires." },
    ),
  ),
});
const body = checker(Body);

const DETAIL = {
  tag: "Realtime",
  access: "key",
  description:
    "A secret that opens sessions on WS /v1/realtime with these settings. Creating one counts as a request of the rate limit, and a key may have 1,000 that have not expired: beyond either 429. The body holds at most 256 KB.",
  refusals: [...METERED_REFUSALS, "invalid_model", "realtime_not_supported", "unsupported_language"],
} as const;
const SECRET = "The secret, when it expires, and the settings of its sessions.";
const SETTINGS = Type.Object(
  {},
  { additionalProperties: true, description: "As in `session.update`: docs/realtime.md." },
);
const Documented = Type.Object({ ...Body.properties, session: Type.Optional(SETTINGS) });

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

type Call = { request: Request; set: { headers: Record<string, string | number> } };

export function clientSecretRoutes(deps: ClientSecretDeps) {
  const { access, accounts, catalogueFor, meter, timeouts, clock, describeConversation } = deps;

  async function receive({ request, set }: Call): Promise<{ principal: Principal; body: unknown }> {
    const principal = await access(request, "realtime:connect");
    await meter.takeRequest(principal, (states) => Object.assign(set.headers, rateLimitHeaders(states)));
    const input = await readJson(request, timeouts, { whenEmpty: {}, limitBytes: BODY_LIMIT });
    return { principal, body: input };
  }
  async function mint({ keyId, plan }: Principal, input: unknown, seconds: number) {
    const session = readSession({ session: input ?? {} });
    const { settings } = resolveSettings(catalogueFor(plan), DEFAULTS, updateOf(session));
    const { secret, expiresAt } = await accounts.mintClientSecret({ keyId, session, seconds });
    return { settings, value: secret, expires_at: expiresAt };
  }
  const sessionOf = (settings: typeof DEFAULTS, beta: boolean) =>
    sessionObject(settings, { id: newId("sess", clock), expiresAt: 0 }, { beta, intent: true });

  return new Elysia()
    .post(
      "/v1/realtime/client_secrets",
      async (call) => {
        const { principal, body: input } = await receive(call);
        const { value: checked, details } = body.check(input);
        if (details !== null) throw invalidInput(details);
        const { session } = input as { session?: unknown };
        const seconds = checked.expires_after?.seconds ?? LIFE_SECONDS;
        const conversation = isObject(session) ? await describeConversation(principal, session) : null;
        if (conversation) {
          const { kept, described } = conversation;
          const { keyId } = principal;
          const { secret, expiresAt } = await accounts.mintClientSecret({ keyId, session: kept, seconds });
          return {
            ...{ value: secret, expires_at: expiresAt },
            session: { ...described, id: newId("sess", clock) },
          };
        }
        const { settings, ...minted } = await mint(principal, session, seconds);
        return { ...minted, session: sessionOf(settings, false) };
      },
      {
        parse: "none",
        detail: operation({
          ...DETAIL,
          id: "createClientSecret",
          summary: "Create a client secret",
          body: { required: false, content: json(Documented) },
          ok: { description: SECRET, headers: LIMIT_HEADERS, content: json(ref("ClientSecret")) },
        }),
      },
    )
    .post(
      "/v1/realtime/transcription_sessions",
      async (call) => {
        const { principal, body: input } = await receive(call);
        const { settings, ...client_secret } = await mint(principal, input, LIFE_SECONDS);
        return { ...sessionOf(settings, true), client_secret };
      },
      {
        parse: "none",
        detail: operation({
          ...DETAIL,
          id: "createTranscriptionSession",
          summary: "Create a client secret (beta format)",
          body: { required: false, content: json(SETTINGS) },
          ok: { description: SECRET, headers: LIMIT_HEADERS, content: json(ref("TranscriptionSession")) },
        }),
      },
    );
}
