/**
 * Promise: every route of the server has a row here that says who may call it, and refuses everybody else.
 *
 * The routes of the management API say it in their schema; `management/` walks those as every role and tenant.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { contract } from "../../src/api/management/schema/routes.ts";
import { ROUTES as AUTH } from "../../src/identity/routes/offered-routes.ts";
import { SCOPES, type Scope } from "../../src/scopes.ts";
import { buildApp } from "../../src/server/app.ts";
import { errorOf } from "../harness.ts";
import { dialSpeech } from "./dialects/speech-dial.ts";
import { dialStream, refusedUpgrade } from "./dialects/streamed.ts";
import { asking, type Fixture, openFixture } from "./management/server-fixture.ts";
import { openTenancy, type Tenancy } from "./management/tenancy.ts";
import { FILE_TABLE } from "./v1/files/file-table.ts";
import { JOB_TABLE } from "./v1/jobs/job-table.ts";
import { ADMIN_TABLE } from "./v1/organization/admin-table.ts";
import { dial } from "./v1/realtime/live.ts";
import { WEBHOOK_TABLE } from "./v1/webhooks/webhook-table.ts";

type Who =
  | "anyone"
  | "a signature"
  | "a private network"
  | "the engine secret"
  | "AUTH"
  | { scope: Scope | null }
  | { admin: string };

const CATALOGUE: Who = { scope: "catalog:read" };
const SPEECH: Who = { scope: "speech:create" };
const TRANSCRIPTION: Who = { scope: "transcription:create" };
const VOICE: Who = { scope: "voice:create" };
const LIVE: Who = { scope: "realtime:connect" };

/** Pages hold nothing of anybody: what they show comes from the management API. */
const PAGES = `/ /sign-in /sign-up /verify /forgot /reset /mail-of-alerts /invitation /playground /account /setup /setup/* /orgs/* /operator/*
  /docs /docs/:guide /docs/clients/:guide /docs/api /docs/api/:operation /docs/management /docs/management/:operation
  /docs/json /docs/management.json /docs/search /docs/search.json /llms.txt /llms-full.txt /assets/:file`;

const TABLE: Record<string, Who> = {
  ...{ ...ADMIN_TABLE, ...WEBHOOK_TABLE, ...FILE_TABLE, ...JOB_TABLE },
  ...Object.fromEntries(PAGES.split(/\s+/).map((path) => [`GET ${path}`, "anyone"] as const)),
  "ALL /api/auth/*": "AUTH",
  "POST /api/billing/stripe-webhook": "a signature",
  ...{ "GET /healthz": "anyone", "GET /readyz": "anyone" },
  "GET /metrics": "a private network",
  "GET /engines": "the engine secret",
  "GET /v1/me": { scope: null },
  "GET /v1/models": CATALOGUE,
  "GET /v1/models/:model": CATALOGUE,
  "GET /v1/voices": CATALOGUE,
  "GET /v1/audio/models": CATALOGUE,
  "GET /v1/audio/voices": CATALOGUE,
  "GET /v1/audio/voices/:voice": CATALOGUE,
  "GET /v1/audio/voices/:voice/recording": VOICE,
  "GET /v1/audio/voices/:voice/consent": VOICE,
  "POST /v1/audio/voices": VOICE,
  "DELETE /v1/audio/voices/:voice": VOICE,
  "POST /v1/audio/voice_consents": VOICE,
  "GET /v1/audio/voice_consents": VOICE,
  "GET /v1/audio/voice_consents/:consent": VOICE,
  "GET /v1/audio/voice_consents/:consent/recording": VOICE,
  "POST /v1/audio/voice_consents/:consent": VOICE,
  "DELETE /v1/audio/voice_consents/:consent": VOICE,
  "POST /v1/audio/speech": SPEECH,
  "POST /dev/captioned_speech": SPEECH,
  "POST /v1/audio/transcriptions": TRANSCRIPTION,
  ...Object.fromEntries(
    ["POST /v1/batches", "GET /v1/batches", "GET /v1/batches/:batch", "POST /v1/batches/:batch/cancel"].map(
      (route) => [route, { scope: null }], // either scope, which speech-lines.test.ts shows
    ),
  ),
  "POST /v1/audio/translations": TRANSCRIPTION,
  "POST /v1/realtime/client_secrets": LIVE,
  "POST /v1/realtime/sessions": LIVE,
  "POST /v1/realtime/transcription_sessions": LIVE,
  "GET /v1/realtime": LIVE, // a socket
  "GET /elevenlabs/v1/models": CATALOGUE,
  "POST /elevenlabs/v1/text-to-speech/:voice_id": SPEECH,
  "GET /elevenlabs/v1/text-to-speech/:voice_id/stream-input": SPEECH, // a socket
  "GET /elevenlabs/v1/text-to-speech/:voice_id/multi-stream-input": SPEECH, // a socket
  "POST /elevenlabs/v1/text-to-speech/:voice_id/stream": SPEECH,
  "POST /elevenlabs/v1/text-to-speech/:voice_id/with-timestamps": SPEECH,
  "POST /elevenlabs/v1/text-to-speech/:voice_id/stream/with-timestamps": SPEECH,
  "GET /deepgram/v1/models": CATALOGUE,
  "POST /deepgram/v1/listen": TRANSCRIPTION,
  "GET /deepgram/v1/listen": LIVE, // a socket
  "GET /deepgram/v2/listen": LIVE, // a socket
  "GET /elevenlabs/v1/speech-to-text/realtime": LIVE, // a socket
  "POST /elevenlabs/v1/speech-to-text": TRANSCRIPTION,
  "POST /deepgram/v1/speak": SPEECH,
  "GET /deepgram/v1/speak": SPEECH, // a socket
  "ALL /deepgram/v2/speak": "anyone",
  "GET /elevenlabs/v1/voices": CATALOGUE,
  "GET /elevenlabs/v2/voices": CATALOGUE,
  "GET /elevenlabs/v1/voices/settings/default": CATALOGUE,
  "GET /elevenlabs/v1/voices/:voice": CATALOGUE,
  "GET /elevenlabs/v1/voices/:voice/settings": CATALOGUE,
  "DELETE /elevenlabs/v1/voices/:voice": VOICE,
  "POST /elevenlabs/v1/voices/add": VOICE,
  "GET /elevenlabs/v1/user": { scope: null },
  "GET /elevenlabs/v1/user/subscription": { scope: null },
  "POST /elevenlabs/v1/single-use-token/:type": { scope: null },
  "GET /deepgram/v1/models/:model": CATALOGUE,
  "POST /deepgram/v1/auth/grant": { scope: null },
  "GET /deepgram/v1/projects": { scope: null },
  "GET /deepgram/v1/projects/:project": { scope: null },
  "GET /jambonz/transcribe": LIVE, // a socket
  "POST /jambonz/synthesize": SPEECH,
  "GET /jambonz/synthesize": SPEECH, // a socket
  "POST /mcp/mcp": { scope: null }, // tools ask for their own
};

/** Of the account itself. */
const OWN = `change-password update-user list-sessions revoke-session revoke-other-sessions two-factor/enable two-factor/disable
  two-factor/get-totp-uri two-factor/verify-totp two-factor/verify-backup-code two-factor/generate-backup-codes`;

/** Who may call a route of signing in that needs a session: any user, or the least role in the named organization. */
const AUTH_TABLE: Record<string, "user" | "member" | "admin"> = {
  ...Object.fromEntries(OWN.split(/\s+/).map((path) => [path, "user"] as const)),
  "organization/accept-invitation": "user",
  "organization/reject-invitation": "user",
  "organization/get-invitation": "user",
  "organization/list-user-invitations": "user",
  "organization/leave": "member",
  "organization/list-members": "member",
  "organization/invite-member": "admin",
  "organization/cancel-invitation": "admin",
  "organization/list-invitations": "admin",
  "organization/update-member-role": "admin",
  "organization/remove-member": "admin",
};

let fixture: Fixture;
let tenancy: Tenancy;
let voice: string;
let consent: string;
const keys = new Map<string, string>();
let foreign: string;

beforeAll(async () => {
  fixture = await openFixture({ environment: { LOQUAT_ENGINE_SECRET: "x".repeat(44) } });
  tenancy = await openTenancy(fixture, "Loquat");
  const { accounts, voices, consents } = fixture.parts;
  const made = { name: "a", environment: "live", expiresAt: null } as const;
  const projectId = (await accounts.defaultProject(fixture.organizationId))!.id;
  for (const scope of SCOPES) {
    const others = SCOPES.filter((each) => each !== scope);
    keys.set(scope, (await accounts.createKey({ ...made, projectId, scopes: others })).secret);
  }
  foreign = (await accounts.createKey({ ...made, projectId: tenancy.ids.project!, scopes: [...SCOPES] }))
    .secret;
  const voiceOf = { organizationId: fixture.organizationId, name: "Mine", model: "svc-tts1" };
  ({ id: voice } = await voices.create({ ...voiceOf, parts: { recording: Buffer.from("recording") } }));
  const consentOf = { organizationId: fixture.organizationId, name: "Mine", language: "en" };
  ({ id: consent } = await consents.create({ ...consentOf, recording: Buffer.from("recording") }));
});
afterAll(() => fixture[Symbol.asyncDispose]());

const keyed = Object.entries(TABLE).flatMap(([name, who]) =>
  typeof who === "object" && "scope" in who ? [[name, who.scope] as [string, Scope | null]] : [],
);
/** By what its errors are told; a socket that refuses the upgrade tells them in its answer. */
const SOCKETS: Record<string, (headers: Record<string, string>) => Promise<string>> = {
  async "GET /v1/realtime"(headers) {
    const client = await dial(fixture, { headers });
    const { error } = (await client.until("error")) as unknown as { error: { code: string } };
    await client.closed;
    return error.code;
  },
  async "GET /elevenlabs/v1/speech-to-text/realtime"(headers) {
    const stream = await dialStream(fixture, { path: "/v1/speech-to-text/realtime", headers });
    await stream.closed;
    return stream.messages.at(-1)!.code;
  },
  "GET /deepgram/v1/listen": async (headers) =>
    (await refusedUpgrade(`${fixture.url}/v1/listen`, headers)).body.code!,
  "GET /deepgram/v2/listen": async (headers) =>
    (await refusedUpgrade(`${fixture.url}/v2/listen`, headers)).body.code!,
  "GET /jambonz/transcribe": async (headers) =>
    (await refusedUpgrade(`${fixture.url}/jambonz/transcribe`, headers)).body.code!,
  "GET /jambonz/synthesize": async (headers) =>
    (await refusedUpgrade(`${fixture.url}/jambonz/synthesize`, headers)).body.code!,
};
/** By the start of their names: sockets of dialects. */
const SPEAKING = ["GET /elevenlabs/v1/text-to-speech", "GET /deepgram/v1/speak"];

function call(name: string, headers: Record<string, string>, ids = { voice, consent, model: "svc-tts1" }) {
  const [method, path] = name.split(" ") as [string, string];
  const filled = path.replace(/:(\w+)/g, (_, kind: keyof typeof ids | "voice_id") =>
    kind === "voice_id" ? ids.voice : ids[kind],
  );
  const body = method === "POST" ? { body: '{"name":"x"}' } : {};
  return fetch(fixture.url + filled, {
    method,
    headers: { "content-type": "application/json", ...headers },
    ...body,
  });
}

/** The code of a refusal, by HTTP or by the socket. */
async function refusal(name: string, headers: Record<string, string>): Promise<string> {
  if (SPEAKING.some((start) => name.startsWith(start))) return refusalOfSpeech(name, headers);
  return SOCKETS[name]?.(headers) ?? (await errorOf(await call(name, headers))).code;
}

/** The first message of one may have its key. */
async function refusalOfSpeech(name: string, headers: Record<string, string>): Promise<string> {
  const path = name.split(" ")[1]!.replace(":voice_id", "female-warm");
  const client = await dialSpeech(fixture, { path, headers });
  client.send({ text: " " });
  return (await client.closed()).reason;
}

test("every route has a row, and every row a route", () => {
  const routes = buildApp(fixture.parts).routes.map(({ method, path }) => `${method} ${path}`);
  expect(routes.filter((name) => !(name in contract)).sort()).toEqual(Object.keys(TABLE).sort());
  expect(Object.keys(contract).filter((name) => !routes.includes(name))).toEqual([]);
  const signedIn = Object.entries(AUTH).filter(([, { needsSession }]) => needsSession);
  expect(signedIn.map(([path]) => path).sort()).toEqual(Object.keys(AUTH_TABLE).sort());
});

describe.each(keyed)("%s", (name, scope) => {
  test("is refused without a key, with a wrong one, and with a session", async () => {
    const { cookie, csrf } = tenancy.users.owner;
    expect(await refusal(name, {})).toBe("missing_api_key");
    expect(await refusal(name, { cookie, "x-csrf-token": csrf })).toBe("missing_api_key");
    for (const key of ["sk_live_nobody", `${fixture.key}x`, fixture.key.slice(0, -1)])
      expect(await refusal(name, { authorization: `Bearer ${key}` })).toBe("invalid_api_key");
    expect(await refusal(name, { authorization: `Basic ${btoa(`a:${fixture.key}`)}` })).toBe(
      "invalid_api_key",
    );
  });

  if (scope !== null)
    test("is refused to a key that has every scope but its own", async () => {
      const authorization = `Bearer ${keys.get(scope)}`;
      expect(await refusal(name, { authorization })).toBe("insufficient_scope");
    });

  if (/:(?:voice(?!_)|consent)/.test(name))
    test("answers another organization as if there were no such voice or consent", async () => {
      const headers = { authorization: `Bearer ${foreign}` };
      const answered = async (ids: { voice: string; consent: string }) => {
        const { status, code, message } = await errorOf(await call(name, headers, { ...ids, model: "" }));
        return { status, code, message: message.replaceAll(ids.voice, "ID").replaceAll(ids.consent, "ID") };
      };
      const absent = { voice: `${voice.slice(0, -3)}zzz`, consent: `${consent.slice(0, -3)}zzz` };
      expect(await answered({ voice, consent })).toEqual(await answered(absent));
      expect((await answered({ voice, consent })).status).toBe(404);
      const { voices, consents } = fixture.parts;
      expect(await voices.find(fixture.organizationId, voice)).not.toBeNull();
      expect(await consents.find(fixture.organizationId, consent)).toMatchObject({ name: "Mine" });
    });
});

describe("the routes of signing in that need a session", () => {
  const valid: Record<string, () => string> = {
    organizationId: () => tenancy.organization,
    memberId: () => tenancy.ids.seat!,
    memberIdOrEmail: () => tenancy.users.owner.email,
    invitationId: () => tenancy.ids.invitation!,
    id: () => tenancy.ids.invitation!,
    email: () => "guest@example.com",
    role: () => "member",
    keys: () => "revoke",
    token: () => "x",
    name: () => "x",
    code: () => "000000",
    password: () => "correct horse battery",
    currentPassword: () => "correct horse battery",
    newPassword: () => "correct horse battery 2",
  };
  const send = (path: string, ask: (route: string, body?: unknown) => Promise<Response>) => {
    const { method, fields } = AUTH[path]!;
    const body = Object.fromEntries(Object.keys(fields).map((field) => [field, valid[field]!()]));
    const where = `${method} /api/auth/${path}`;
    return method === "GET" ? ask(`${where}?${new URLSearchParams(body)}`) : ask(where, body);
  };

  test.each(Object.keys(AUTH_TABLE))("%s refuses a caller without one", async (path) => {
    const { ask } = asking(fixture.url, {});
    expect(await errorOf(await send(path, ask))).toMatchObject({ status: 401, code: "not_signed_in" });
  });

  const admins = Object.keys(AUTH_TABLE).filter((path) => AUTH_TABLE[path] === "admin");
  test.each(admins)("%s refuses a member", async (path) => {
    const response = await send(path, tenancy.users.member.ask);
    expect(await errorOf(response)).toMatchObject({ status: 403, code: "insufficient_role" });
  });
});

test("the webhook takes nothing on a server without payments", async () => {
  for (const headers of [{}, { "stripe-signature": "t=1,v1=00" }] as Record<string, string>[])
    expect(await refusal("POST /api/billing/stripe-webhook", headers)).toBe("payments_unavailable");
});

test("the address of engine nodes needs the secret that they share", async () => {
  for (const secret of ["x", "x".repeat(43), "x".repeat(45), fixture.key])
    expect(await refusal("GET /engines", { authorization: `Bearer ${secret}` })).toBe("invalid_api_key");
});
