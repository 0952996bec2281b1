/** Promise: every response carries a request id, keys are checked first, and browsers may call the API. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { contract } from "../../../src/api/management/schema/routes.ts";
import { SCOPES, type Scope } from "../../../src/scopes.ts";
import { errorOf, type Harness, openHarness } from "../../harness.ts";

const OF_PROJECTS = [
  ...["api_keys", "api_keys/{api_key}", "archive", "data_retention", "model_permissions", "rate_limits"],
  ...["rate_limits/{rate_limit}", "service_accounts", "spend_alerts", "spend_alerts/{spend_alert}"],
  "spend_limit",
];

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
});
afterAll(() => harness[Symbol.asyncDispose]());

const newKey = async (scopes: readonly Scope[] = SCOPES, expiresAt: number | null = null) => {
  const { accounts } = harness.parts;
  return accounts.createKey({
    projectId: (await accounts.defaultProject(harness.organizationId))!.id,
    name: "t",
    environment: "test",
    scopes,
    expiresAt,
  });
};
const withKey = (path: string, authorization: string, method = "GET") =>
  fetch(harness.url + path, { method, headers: authorization ? { authorization } : {} });

describe("authentication", () => {
  const refused: [string, () => string, string][] = [
    ["no header", () => "", "missing_api_key"],
    ["an empty bearer", () => "Bearer ", "missing_api_key"],
    ["another scheme", () => "Basic abc", "invalid_api_key"],
    ["an unknown key", () => `Bearer sk_live_${"a".repeat(40)}`, "invalid_api_key"],
    ["a malformed key", () => "Bearer sk-proj-123", "invalid_api_key"],
    ["two keys", () => `Bearer ${harness.key} ${harness.key}`, "invalid_api_key"],
  ];
  const routes: [string, string][] = [
    ["GET", "/v1/models"],
    ["GET", "/v1/models/svc-tts1"],
    ["GET", "/v1/voices"],
    ["POST", "/v1/audio/speech"],
    ["POST", "/v1/audio/transcriptions"],
  ];
  for (const [method, path] of routes) {
    test.each(refused)(`${method} ${path} refuses %s`, async (_name, authorization, code) => {
      expect(await errorOf(await withKey(path, authorization(), method))).toMatchObject({
        status: 401,
        code,
        type: "authentication_error",
      });
    });
  }

  test("the scheme's name is case-insensitive", async () => {
    expect((await withKey("/v1/models", `bEaReR ${harness.key}`)).status).toBe(200);
  });

  test("a revoked key is refused within a second", async () => {
    const key = await newKey();
    expect((await withKey("/v1/models", `Bearer ${key.secret}`)).status).toBe(200);
    await harness.parts.accounts.revokeKey(key.id);
    harness.clock.pass(1000);
    expect(await errorOf(await withKey("/v1/models", `Bearer ${key.secret}`))).toMatchObject({
      status: 401,
      code: "api_key_revoked",
    });
  });

  test("a key expires when its time comes", async () => {
    const key = await newKey(SCOPES, Math.floor(harness.clock.now() / 1000) + 60);
    expect((await withKey("/v1/models", `Bearer ${key.secret}`)).status).toBe(200);
    harness.clock.pass(60_000);
    expect(await errorOf(await withKey("/v1/models", `Bearer ${key.secret}`))).toMatchObject({
      status: 401,
      code: "api_key_expired",
    });
  });

  test("a missing scope is named in the error", async () => {
    const { secret } = await newKey(["catalog:read"]);
    const error = await errorOf(await withKey("/v1/audio/speech", `Bearer ${secret}`, "POST"));
    expect(error).toMatchObject({
      status: 403,
      type: "permission_error",
      code: "insufficient_scope",
      param: null,
    });
    expect(error.message).toContain("speech:create");
  });
});

describe("every response", () => {
  test.each(["/healthz", "/readyz", "/docs", "/docs/json", "/nowhere", "/v1/nowhere", "/v1/models"])(
    "of %s has a request id",
    async (path) => {
      const response = await fetch(harness.url + path);
      expect(response.headers.get("x-request-id")).toMatch(/^req_[0-9a-z]{24}$/);
    },
  );

  test.each([
    ["/v1/models", "*", null],
    ["/v1/nowhere", "*", null],
    ["/api/session", null, "no-store"],
    ["/api/nowhere", null, "no-store"],
    ["/healthz", null, null],
  ])("of %s allows other origins: %s; is cached: %s", async (path, origin, kept) => {
    const { headers } = await fetch(harness.url + path, { headers: { origin: "http://a.example" } });
    expect(headers.get("access-control-allow-origin")).toBe(origin);
    expect(headers.get("cache-control")).toBe(kept);
  });

  test.each([
    ["GET", "/nowhere"],
    ["POST", "/v1/chat/completions"],
  ])("of %s %s is 404", async (method, path) => {
    expect(await errorOf(await withKey(path, `Bearer ${harness.key}`, method))).toMatchObject({
      status: 404,
      type: "not_found",
      code: "not_found",
    });
  });

  test("to a preflight request needs no key", async () => {
    const asked = "authorization, content-type, x-stainless-os";
    const response = await fetch(`${harness.url}/v1/audio/speech`, {
      method: "OPTIONS",
      headers: {
        origin: "http://a.example",
        "access-control-request-method": "POST",
        "access-control-request-headers": asked,
      },
    });
    expect(response.status).toBe(204);
    expect(response.headers.get("access-control-allow-headers")).toBe(asked);
    expect(response.headers.get("access-control-allow-methods")).toBe("GET, POST, DELETE, OPTIONS");
    expect(response.headers.get("access-control-max-age")).toBe("86400");
    expect(response.headers.get("x-request-id")).toMatch(/^req_/);
  });

  test("is sent whatever the Accept header says", async () => {
    const response = await harness.ask("/v1/models", {
      headers: { accept: "image/png", "openai-organization": "org-other" },
    });
    expect(response.status).toBe(200);
  });

  test("of the documentation describes every route and loads nothing from other hosts", async () => {
    const document = (await (await fetch(`${harness.url}/docs/json`)).json()) as {
      openapi: string;
      paths: Record<string, object>;
    };
    expect(document.openapi).toStartWith("3.");
    expect(Object.keys(document.paths).sort()).toEqual(
      [
        "/dev/captioned_speech",
        ...["/healthz", "/metrics", "/readyz"],
        "/v1/audio/jobs",
        "/v1/audio/jobs/{job}",
        "/v1/audio/jobs/{job}/cancel",
        "/v1/audio/jobs/{job}/content",
        "/v1/audio/models",
        "/v1/audio/speech",
        "/v1/audio/transcriptions",
        "/v1/audio/translations",
        "/v1/audio/voice_consents",
        "/v1/audio/voice_consents/{consent}",
        "/v1/audio/voice_consents/{consent}/recording",
        "/v1/audio/voices",
        "/v1/audio/voices/{voice}",
        "/v1/audio/voices/{voice}/consent",
        "/v1/audio/voices/{voice}/recording",
        ...["/v1/batches", "/v1/batches/{batch}", "/v1/batches/{batch}/cancel"],
        "/v1/me",
        "/v1/models",
        "/v1/models/{model}",
        "/v1/organization/admin_api_keys",
        "/v1/organization/admin_api_keys/{admin_key}",
        "/v1/organization/audit_logs",
        "/v1/files",
        "/v1/files/{file}",
        "/v1/files/{file}/content",
        "/v1/uploads",
        "/v1/uploads/{upload}/cancel",
        "/v1/uploads/{upload}/complete",
        "/v1/uploads/{upload}/parts",
        "/v1/organization/costs",
        "/v1/organization/data_retention",
        "/v1/organization/invites",
        "/v1/organization/invites/{invite}",
        "/v1/organization/projects",
        "/v1/organization/projects/{project}",
        ...OF_PROJECTS.map((of) => `/v1/organization/projects/{project}/${of}`),
        "/v1/organization/projects/{project}/service_accounts/{service_account}",
        "/v1/organization/projects/{project}/service_accounts/{service_account}/api_keys",
        "/v1/organization/requests",
        "/v1/organization/spend_alerts",
        "/v1/organization/spend_alerts/{spend_alert}",
        "/v1/organization/spend_limit",
        "/v1/organization/usage/audio_speeches",
        "/v1/organization/usage/audio_transcriptions",
        "/v1/organization/usage/code_interpreter_sessions",
        "/v1/organization/usage/completions",
        "/v1/organization/usage/embeddings",
        "/v1/organization/usage/file_search_calls",
        "/v1/organization/usage/images",
        "/v1/organization/usage/moderations",
        "/v1/organization/usage/vector_stores",
        "/v1/organization/usage/web_search_calls",
        "/v1/organization/users",
        "/v1/organization/users/{user}",
        "/v1/realtime/client_secrets",
        "/v1/realtime/sessions",
        "/v1/realtime/transcription_sessions",
        "/v1/voices",
        "/v1/webhook_endpoints",
        "/v1/webhook_endpoints/{webhook_endpoint}",
        "/v1/webhook_endpoints/{webhook_endpoint}/deliveries",
        "/v1/webhook_endpoints/{webhook_endpoint}/deliveries/{delivery}/retry",
        "/v1/webhook_endpoints/{webhook_endpoint}/replay",
        "/v1/webhook_endpoints/{webhook_endpoint}/rotate_secret",
        "/v1/webhook_endpoints/{webhook_endpoint}/test",
        "/v1/webhook_event_types",
      ].sort(),
    );
    expect(JSON.stringify(document.paths["/v1/audio/speech"])).toContain('"maxLength":8000');
    type Answers = { responses: Record<string, { headers?: object }> };
    const management = (await (await fetch(`${harness.url}/docs/management.json`)).json()) as typeof document;
    const routes = Object.keys(contract).map((route) => route.split(" ")[1]!.replace(/:(\w+)/g, "{$1}"));
    expect(Object.keys(management.paths).sort()).toEqual([...new Set(routes)].sort());
    for (const [path, methods] of Object.entries({ ...document.paths, ...management.paths }))
      for (const { responses } of Object.values<Answers>(methods as never))
        if (path !== "/healthz" && path !== "/metrics" && path !== "/readyz")
          expect([path, Object.keys(responses["503"]?.headers ?? {})]).toEqual([path, ["retry-after"]]);
    expect(JSON.stringify(document.paths["/v1/audio/speech"])).toContain('"429"');
    const page = await (await fetch(`${harness.url}/docs`)).text();
    for (const [, address] of page.matchAll(/(?:src|href)="([^"]+)"/g)) {
      expect(address).toMatch(/^(\/|#)/);
      if (address!.startsWith("/")) expect((await fetch(harness.url + address)).status).toBe(200);
    }
  });
});

test("/llms.txt names every route of the public API under the server's own address", async () => {
  const text = await (await fetch(`${harness.url}/llms.txt`)).text();
  const { paths } = (await (await fetch(`${harness.url}/docs/json`)).json()) as { paths: object };
  for (const path of Object.keys(paths)) expect(text).toContain(` ${path}\``);
  expect(text).toContain(`Base URL: ${harness.url}/v1`);
});

describe("the catalogue", () => {
  const list = async (path: string) =>
    (
      (await (await harness.ask(path)).json()) as {
        object: string;
        data: { id: string; language: string; metadata: { models: string[] } }[];
      }
    ).data;

  test("lists models by type", async () => {
    expect((await list("/v1/models?type=stt")).map(({ id }) => id)).toEqual(["svc-stt1"]);
    expect((await list("/v1/models?type=tts")).map(({ id }) => id)).toEqual(["svc-tts1", "svc-tts2"]);
    expect(await errorOf(await harness.ask("/v1/models?type=vad"))).toMatchObject({
      status: 422,
      param: "type",
    });
  });

  test("has every field of the specification for a model", async () => {
    const model = (await (await harness.ask("/v1/models/svc-tts2")).json()) as object;
    expect(model).toMatchObject({
      object: "model",
      type: "tts",
      capabilities: ["batch", "streaming"],
      status: "available",
      public_version: "2026-11-01",
      shutdown_date: null,
      speech_options: {
        response_formats: ["wav", "pcm", "mp3"],
        streamable_formats: ["wav", "pcm", "mp3"],
        speed: { min: 1, max: 1 },
        instructions: false,
      },
    });
    expect(await (await harness.ask("/v1/models/svc-stt1")).json()).toMatchObject({ speech_options: null });
  });

  test("lists voices by language, locale and model", async () => {
    for (const { language } of await list("/v1/voices?language=DE-at")) expect(language).toBe("de");
    const both = await list("/v1/voices?model=svc-tts2&language=en");
    expect(both).not.toEqual([]);
    expect(both.every(({ metadata }) => metadata.models.includes("svc-tts2"))).toBe(true);
    expect((await list("/v1/voices?locale=en-gb")).map(({ id }) => id)).toContain("male-bright");
    for (const model of ["svc-stt1", "none"]) expect(await list(`/v1/voices?model=${model}`)).toEqual([]);
  });
});
