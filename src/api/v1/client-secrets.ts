/**
 * POST /v1/realtime/client_secrets, and the beta's /v1/realtime/sessions and /v1/realtime/transcription_sessions: creates
 * a secret for browsers that opens realtime sessions with these settings for a limited time. Counts as one request of the
 * rate limit.
 */
import { Elysia } from "elysia";
import Type, { type Static } from "typebox";
import type { Accounts } from "../../accounts/accounts.ts";
import type { Principal } from "../../accounts/principal.ts";
import type { Clock } from "../../clock.ts";
import { invalidInput } from "../../errors.ts";
import { newId } from "../../ids.ts";
import type { CatalogueFor } from "../../models/live-catalogue.ts";
import { DEFAULTS, type Shape, sessionObject } from "../../realtime/settings.ts";
import { checker } from "../../schema.ts";
import type { Meter } from "../../usage/meter.ts";
import { type BodyTimeouts, readJson } from "../middleware/body/body.ts";
import type { Authentication } from "../middleware/caller.ts";
import { rateLimitHeaders } from "../middleware/response-headers.ts";
import { json, LIMIT_HEADERS, METERED_REFUSALS, operation, ref } from "../openapi/operation.ts";
import { betaSession } from "./conversation/beta-names.ts";
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

const Expiry = Type.Optional(
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
);
const Body = Type.Object({ expires_after: Expiry });
const body = checker(Body);

/** Beside the fields of the session. Clients of the beta differ in the name. */
const BetaBody = Type.Object({
  client_secret: Type.Optional(
    Type.Union([Type.Object({ expires_at: Expiry, expires_after: Expiry }), Type.Null()], {
      description: "Of the secret.",
    }),
  ),
});
const betaBody = checker(BetaBody);
/** Of beta sessions that name no model: it stands for the default conversation. */
const BETA_MODEL = "gpt-realtime";

const DETAIL = {
  tag: "Realtime",
  access: "key",
  description:
    "A secret that opens sessions on WS /v1/realtime with these settings. Creating one counts as a request of the rate limit, and a key may have 1,000 that have not expired: beyond either 429. The body holds at most 256 KB.",
  refusals: [...METERED_REFUSALS, "invalid_model", "realtime_not_supported", "unsupported_language"],
} as const;
/** Of secrets that may open conversations. */
const CONVERSING = {
  ...DETAIL,
  refusals: [...DETAIL.refusals, "invalid_voice", "model_unavailable"],
} as const;
const SECRET = "The secret, when it expires, and the settings of its sessions.";
const SETTINGS = Type.Object(
  {},
  { additionalProperties: true, description: "As in `session.update`: docs/realtime.md." },
);
const Documented = Type.Object({ ...Body.properties, session: Type.Optional(SETTINGS) });
const BetaDocumented = Type.Object(BetaBody.properties, {
  additionalProperties: true,
  description: "As in `session.update` of the beta: docs/conversations.md.",
});

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

const secondsOf = (expiry: Static<typeof Expiry> | undefined): number => expiry?.seconds ?? LIFE_SECONDS;

type Call = { request: Request; set: { headers: Record<string, string | number> } };

export function clientSecretRoutes(deps: ClientSecretDeps) {
  const { receive, mint } = minting(deps);
  return new Elysia()
    .post(
      "/v1/realtime/client_secrets",
      async (call) => {
        const { principal, body: input } = await receive(call);
        const { value: checked, details } = body.check(input);
        if (details !== null) throw invalidInput(details);
        const { session } = input as { session?: unknown };
        const { secret, shown } = await mint(principal, session, secondsOf(checked.expires_after));
        return { ...secret, session: shown({ beta: false, intent: true }) };
      },
      {
        parse: "none",
        detail: operation({
          ...CONVERSING,
          id: "createClientSecret",
          summary: "Create a client secret",
          body: { required: false, content: json(Documented) },
          ok: { description: SECRET, headers: LIMIT_HEADERS, content: json(ref("ClientSecret")) },
        }),
      },
    )
    .use(betaRoutes(deps));
}

function betaRoutes(deps: ClientSecretDeps) {
  const { receive, mint, mintTranscribing } = minting(deps);
  return new Elysia()
    .post(
      "/v1/realtime/sessions",
      async (call) => {
        const { principal, body: input } = await receive(call);
        const { value: checked, details } = betaBody.check(input);
        if (details !== null) throw invalidInput(details);
        const { client_secret: asked } = checked;
        const { client_secret: _, ...session } = input as { model?: unknown; client_secret?: unknown };
        const seconds = secondsOf(asked?.expires_at ?? asked?.expires_after);
        const named = { ...session, model: session.model ?? BETA_MODEL };
        const { secret, shown } = await mint(principal, named, seconds);
        return { ...shown({ beta: true, intent: false }), client_secret: secret };
      },
      {
        parse: "none",
        detail: operation({
          ...CONVERSING,
          id: "createRealtimeSession",
          summary: "Create a client secret for a conversation (beta format)",
          body: { required: false, content: json(BetaDocumented) },
          ok: { description: SECRET, headers: LIMIT_HEADERS, content: json(ref("RealtimeSession")) },
        }),
      },
    )
    .post(
      "/v1/realtime/transcription_sessions",
      async (call) => {
        const { principal, body: input } = await receive(call);
        const { secret, shown } = await mintTranscribing(principal, input, LIFE_SECONDS);
        return { ...shown({ beta: true, intent: true }), client_secret: secret };
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

/** `shown`: the session as clients read it. */
type Minted = { secret: { value: string; expires_at: number }; shown(shape: Shape): object };

function minting(deps: ClientSecretDeps) {
  const { access, accounts, catalogueFor, meter, timeouts, clock, describeConversation } = deps;

  async function keep({ keyId }: Principal, session: object, seconds: number): Promise<Minted["secret"]> {
    const { secret, expiresAt } = await accounts.mintClientSecret({ keyId, session, seconds });
    return { value: secret, expires_at: expiresAt };
  }
  async function mintTranscribing(principal: Principal, input: unknown, seconds: number): Promise<Minted> {
    const session = readSession({ session: input ?? {} });
    const { settings } = resolveSettings(catalogueFor(principal), DEFAULTS, updateOf(session));
    return {
      secret: await keep(principal, session, seconds),
      shown: (shape) => sessionObject(settings, { id: newId("sess", clock), expiresAt: 0 }, shape),
    };
  }
  return {
    mintTranscribing,
    async receive({ request, set }: Call): Promise<{ principal: Principal; body: unknown }> {
      const principal = await access(request, "realtime:connect");
      await meter.takeRequest(principal, (states) => Object.assign(set.headers, rateLimitHeaders(states)));
      const input = await readJson(request, timeouts, { whenEmpty: {}, limitBytes: BODY_LIMIT });
      return { principal, body: input };
    },
    /** Of a conversation, where the session asks for one. */
    async mint(principal: Principal, session: unknown, seconds: number): Promise<Minted> {
      const conversation = isObject(session) ? await describeConversation(principal, session) : null;
      if (conversation === null) return mintTranscribing(principal, session, seconds);
      const described = { ...conversation.described, id: newId("sess", clock) };
      return {
        secret: await keep(principal, conversation.kept, seconds),
        shown: ({ beta }) => (beta ? betaSession(described) : described),
      };
    },
  };
}
