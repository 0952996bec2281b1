/**
 * Promise: a client secret opens realtime sessions with its settings until it expires, with its key's rights and no
 * more.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import OpenAI from "openai";
import { errorOf, type Harness, openHarness } from "../../harness.ts";
import { dial, scriptedLive, silence } from "./realtime/live.ts";

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness({ services: { live: scriptedLive().live } });
});
afterAll(() => harness[Symbol.asyncDispose]());

const mint = (body?: object, path = "client_secrets", headers: Record<string, string> = {}) =>
  harness.ask(`/v1/realtime/${path}`, {
    method: "POST",
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });

const SESSION = {
  type: "transcription",
  audio: { input: { transcription: { model: "svc-stt1", language: "en" }, turn_detection: null } },
};

describe("creating a client secret", () => {
  test("returns the secret, its expiry and the settings", async () => {
    const response = await mint({ expires_after: { anchor: "created_at", seconds: 60 }, session: SESSION });
    expect(response.status).toBe(200);
    const { value, expires_at, session } = (await response.json()) as {
      value: string;
      expires_at: number;
      session: object;
    };
    expect(value).toMatch(/^ek_[0-9A-Za-z]{40}$/);
    expect(expires_at).toBe(Math.floor(harness.clock.now() / 1000) + 60);
    expect(session).toEqual({
      type: "transcription",
      object: "realtime.transcription_session",
      id: expect.stringMatching(/^sess_/),
      expires_at: 0,
      audio: {
        input: {
          format: { type: "audio/pcm", rate: 24_000 },
          transcription: { model: "svc-stt1", language: "en", prompt: "" },
          noise_reduction: null,
          turn_detection: null,
        },
      },
      include: null,
    });
  });

  test("needs no body, and defaults to ten minutes", async () => {
    const { expires_at } = (await (await mint()).json()) as { expires_at: number };
    expect(expires_at).toBe(Math.floor(harness.clock.now() / 1000) + 600);
  });

  test("works with the beta's request and response", async () => {
    const response = await mint({ input_audio_format: "g711_alaw" }, "transcription_sessions");
    expect(await response.json()).toMatchObject({
      object: "realtime.transcription_session",
      input_audio_format: "g711_alaw",
      client_secret: { value: expect.stringMatching(/^ek_/), expires_at: expect.any(Number) },
    });
  });

  test("works with stock clients, current and beta", async () => {
    const client = new OpenAI({ apiKey: harness.key, baseURL: `${harness.url}/v1` });
    const current = await client.realtime.clientSecrets.create({ session: SESSION as never });
    expect(current.value).toMatch(/^ek_/);
    const beta = await client.beta.realtime.transcriptionSessions.create({});
    expect(beta.client_secret.value).toMatch(/^ek_/);
  });

  test.each([
    [{ expires_after: { seconds: 9 } }, "expires_after.seconds"],
    [{ expires_after: { seconds: 7201 } }, "expires_after.seconds"],
    [{ expires_after: { anchor: "birth" } }, "expires_after.anchor"],
    [{ session: 7 }, "session"],
    [{ session: { audio: { input: { format: { type: "x" } } } } }, "session.audio.input.format.type"],
  ])("refuses %j", async (body, field) => {
    const { status, code, details } = await errorOf(await mint(body));
    expect([status, code]).toEqual([422, "validation_error"]);
    expect(details?.map((detail) => detail.field)).toContain(field);
  });

  test("refuses a model that is not in the catalogue", async () => {
    const session = { type: "transcription", audio: { input: { transcription: { model: "nobody" } } } };
    expect(await errorOf(await mint({ session }))).toMatchObject({ status: 400, code: "invalid_model" });
  });

  test("needs a key with the realtime scope", async () => {
    expect((await mint({}, "client_secrets", bearer("sk_live_x"))).status).toBe(401);
    const { projectId } = await harness.parts.accounts.authenticate(harness.key);
    const { secret } = await harness.parts.accounts.createKey({
      projectId,
      name: "n",
      environment: "live",
      scopes: ["speech:create"],
      expiresAt: null,
    });
    expect(await errorOf(await mint({}, "client_secrets", bearer(secret)))).toMatchObject({ status: 403 });
  });
});

describe("the limits of a client secret", () => {
  test("refuse a body over 256 KB, a deep one and one of many values", async () => {
    const deep = `${'{"a":'.repeat(1000)}1${"}".repeat(1000)}`;
    for (const text of [
      JSON.stringify({ session: { type: "transcription", junk: "x".repeat(300_000) } }),
      `{"session":{"x":${deep}}}`,
      JSON.stringify({ session: { x: Array(3000).fill(0) } }),
    ]) {
      const asked = harness.ask("/v1/realtime/client_secrets", { method: "POST", body: text });
      expect(await errorOf(await asked)).toMatchObject({ status: 422, code: "validation_error" });
    }
  });

  test("store only known session settings", async () => {
    const transcription = { model: "svc-stt1", prompt: "Loquat", junk: "x".repeat(9000) };
    const input = { transcription, turn_detection: null, more: [1, 2, 3] };
    const session = { type: "transcription", audio: { input, output: { voice: "v" } }, tools: [{ a: 1 }] };
    const { value } = (await (await mint({ session })).json()) as { value: string };
    const stored = await harness.parts.accounts.redeemClientSecret(value);
    expect(stored.session).toEqual({
      type: "transcription",
      audio: { input: { transcription: { model: "svc-stt1", prompt: "Loquat" }, turn_detection: null } },
    });
  });

  test.each([
    ["a prompt", { prompt: "x".repeat(4001) }, "prompt"],
    ["a model", { model: "x".repeat(257) }, "model"],
    ["a keyword", { keywords: ["x".repeat(101)] }, "keywords.0"],
    ["a list of keywords", { keywords: Array(101).fill("x") }, "keywords"],
  ])("refuse %s that is too long", async (_name, transcription, field) => {
    const { details } = await errorOf(await mint({ session: { audio: { input: { transcription } } } }));
    expect(details).toContainEqual(
      expect.objectContaining({ field: `session.audio.input.transcription.${field}` }),
    );
  });

  test("count each one as a request, reported in rate-limit headers", async () => {
    await using server = await openHarness({ free: true });
    const ask = () => server.ask("/v1/realtime/client_secrets", { method: "POST" });
    expect((await ask()).headers.get("x-ratelimit-remaining-requests")).toBe("19");
    for (let minted = 1; minted < 20; minted++) await ask();
    const refused = await ask();
    expect(refused.headers.get("retry-after")).toBe("3");
    expect(await errorOf(refused)).toMatchObject({ status: 429, code: "rate_limit_exceeded" });
  });
});

describe("a client secret", () => {
  const secretOf = async (body: object = {}) =>
    ((await (await mint(body)).json()) as { value: string }).value;

  test("opens several sessions with its settings, which can be changed", async () => {
    const secret = await secretOf({ session: SESSION });
    for (let opened = 0; opened < 2; opened++) {
      const client = await dial(harness, { headers: bearer(secret), query: "" });
      expect((await client.until("created")).session).toMatchObject({
        audio: { input: { transcription: { language: "en" }, turn_detection: null } },
      });
      client.append(silence(1));
      client.commit();
      await client.until("completed");
      client.update({ audio: { input: { turn_detection: { type: "server_vad" } } } });
      expect((await client.until("updated")).session).toMatchObject({
        audio: { input: { turn_detection: { type: "server_vad" } } },
      });
      client.close();
    }
  });

  test("is accepted as a browser sends it", async () => {
    const protocols = ["realtime", `openai-insecure-api-key.${await secretOf()}`];
    const client = await dial(harness, { headers: {}, protocols });
    await client.until("created");
    client.close();
  });

  test("a client secret opens no other route", async () => {
    const secret = await secretOf();
    for (const path of ["/v1/models", "/v1/me"]) {
      const response = await harness.ask(path, { headers: bearer(secret) });
      expect(await errorOf(response)).toMatchObject({ status: 401, code: "invalid_api_key" });
    }
    const again = await mint({}, "client_secrets", bearer(secret));
    expect(await errorOf(again)).toMatchObject({ status: 401, code: "invalid_api_key" });
  });

  test("expires, and a running session continues", async () => {
    await using server = await openHarness({ services: { live: scriptedLive().live } });
    const response = await server.ask("/v1/realtime/client_secrets", { method: "POST" });
    const { value } = (await response.json()) as { value: string };
    const client = await dial(server, { headers: bearer(value) });
    await client.until("created");
    server.clock.pass(700_000);
    const late = await dial(server, { headers: bearer(value) });
    expect(await late.ended()).toMatchObject({ close: 1008, code: "api_key_expired" });
    client.update({});
    await client.until("updated");
    client.close();
  });

  test("stops working when its key is revoked", async () => {
    await using server = await openHarness({ services: { live: scriptedLive().live } });
    const response = await server.ask("/v1/realtime/client_secrets", { method: "POST" });
    const { value } = (await response.json()) as { value: string };
    const { keyId } = await server.parts.accounts.authenticate(server.key);
    await server.parts.accounts.revokeKey(keyId);
    const late = await dial(server, { headers: bearer(value) });
    expect(await late.ended()).toMatchObject({ close: 1008, code: "api_key_revoked" });
  });
});
