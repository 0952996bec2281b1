/** Promise: every invalid frame and every refused connection gets its documented outcome, without delay. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { openBudget } from "../../../../src/memory/budget.ts";
import { type Harness, openHarness } from "../../../harness.ts";
import { until } from "../../../until.ts";
import { type Client, dial, MANUAL, scriptedLive, silence } from "./live.ts";

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness({ services: { live: scriptedLive().live } });
});
afterAll(() => harness[Symbol.asyncDispose]());

const input = (fields: object) => ({ type: "transcription", audio: { input: fields } });

type Case = [
  name: string,
  act: (client: Client) => void,
  expected: { code: string; close: number; param?: string },
];

const event =
  (type: string, fields: object = {}) =>
  (client: Client) =>
    client.send(type, fields);
const raw = (frame: string | Uint8Array<ArrayBuffer>) => (client: Client) => client.socket.send(frame);
const set = (session: unknown) => event("session.update", { session });
const bad = (code: string, param?: string) => ({
  code,
  close: 1008,
  ...(param === undefined ? {} : { param }),
});
const invalid = (param: string) => bad("validation_error", param);
const inputField = (name: string) => `session.audio.input.${name}`;

const BRACKETS = 2_000_000;
const nested = `${"[".repeat(BRACKETS)}${"]".repeat(BRACKETS)}`;
const large = "A".repeat(70_000);

const CASES: Case[] = [
  [
    "a large frame without audio",
    raw(`{"type":"output_audio_buffer.clear","pad":${nested}}`),
    bad("invalid_event"),
  ],
  [
    "a large frame that only looks like audio",
    raw(`{"type":"session.update","audio":"${large}"}`),
    bad("invalid_event"),
  ],
  [
    "nested audio in a large frame",
    raw(`{"x":{"audio":"${large}"},"type":"input_audio_buffer.append","audio":"AAAA"}`),
    bad("invalid_event"),
  ],
  [
    "large audio beside another large field",
    raw(`{"audio":"${large}","type":"input_audio_buffer.append","pad":"${large}"}`),
    bad("invalid_event"),
  ],
  ["unterminated large audio", raw(`{"type":"x","audio":"${large}`), bad("invalid_event")],
  [
    "large audio that is not base64",
    raw(`{"type":"input_audio_buffer.append","audio":"${large}§"}`),
    invalid("audio"),
  ],
  [
    "forty nested objects",
    raw(`{"type":"output_audio_buffer.clear","pad":${'{"a":'.repeat(40)}1${"}".repeat(40)}}`),
    bad("invalid_event"),
  ],
  [
    "three thousand numbers",
    raw(JSON.stringify({ type: "output_audio_buffer.clear", pad: Array(3000).fill(0) })),
    bad("invalid_event"),
  ],
  ["text that is not JSON", raw("hello"), bad("invalid_event")],
  ["half an object", raw('{"type":'), bad("invalid_event")],
  ["an array", raw("[]"), bad("invalid_event")],
  ["a number", raw("12"), bad("invalid_event")],
  ["null", raw("null"), bad("invalid_event")],
  ["an empty frame", raw(""), bad("invalid_event")],
  ["a binary frame", raw(new Uint8Array(100)), bad("invalid_event")],
  ["an event without a type", raw("{}"), bad("invalid_event", "type")],
  ["a type that is not text", raw('{"type":1}'), bad("invalid_event", "type")],
  ["an unknown type", event("no.such.event"), bad("invalid_event", "type")],
  ["a type from the prototype", event("__proto__"), bad("invalid_event", "type")],
  ["response.create", event("response.create"), bad("invalid_event", "type")],
  ["response.cancel", event("response.cancel"), bad("invalid_event", "type")],
  [
    "an item that the client creates",
    event("conversation.item.create", { item: {} }),
    bad("invalid_event", "type"),
  ],
  ["an item that the client truncates", event("conversation.item.truncate"), bad("invalid_event", "type")],
  ["audio that is missing", event("input_audio_buffer.append"), invalid("audio")],
  ["audio that is null", event("input_audio_buffer.append", { audio: null }), invalid("audio")],
  ["audio that is a number", event("input_audio_buffer.append", { audio: 7 }), invalid("audio")],
  ["audio that is not base64", event("input_audio_buffer.append", { audio: "§§§§" }), invalid("audio")],
  ["base64 of an invalid length", event("input_audio_buffer.append", { audio: "AAAAA" }), invalid("audio")],
  ["an item without its id", event("conversation.item.retrieve"), invalid("item_id")],
  ["an item whose id is a number", event("conversation.item.delete", { item_id: 1 }), invalid("item_id")],
  ["an update of nothing", event("session.update"), invalid("session")],
  ["an update that is text", set("now"), invalid("session")],
  ["an unknown format", set(input({ format: { type: "audio/mp3" } })), invalid(inputField("format.type"))],
  [
    "a rate too low",
    set(input({ format: { type: "audio/pcm", rate: 4000 } })),
    invalid(inputField("format.rate")),
  ],
  [
    "a rate too high",
    set(input({ format: { type: "audio/pcm", rate: 96_000 } })),
    invalid(inputField("format.rate")),
  ],
  [
    "a fractional rate",
    set(input({ format: { type: "audio/pcm", rate: 8000.5 } })),
    invalid(inputField("format.rate")),
  ],
  [
    "a threshold over one",
    set(input({ turn_detection: { threshold: 2 } })),
    invalid(inputField("turn_detection.threshold")),
  ],
  [
    "a silence below zero",
    set(input({ turn_detection: { silence_duration_ms: -1 } })),
    invalid(inputField("turn_detection.silence_duration_ms")),
  ],
  [
    "an idle time too short",
    set(input({ turn_detection: { idle_timeout_ms: 100 } })),
    invalid(inputField("turn_detection.idle_timeout_ms")),
  ],
  [
    "an unknown detector",
    set(input({ turn_detection: { type: "x" } })),
    invalid(inputField("turn_detection.type")),
  ],
  ["an unknown model", set(input({ transcription: { model: "whisper-1" } })), bad("invalid_model", "model")],
  ["a speech model", set(input({ transcription: { model: "svc-tts1" } })), bad("invalid_model", "model")],
  [
    "an unsupported language",
    set(input({ transcription: { language: "de" } })),
    bad("unsupported_language", "language"),
  ],
  ["a betan unknown format", set({ input_audio_format: "mp3" }), invalid("session.input_audio_format")],
  [
    "another format with audio buffered",
    (client) => {
      client.update(MANUAL);
      client.append(silence(1));
      client.update(input({ format: { type: "audio/pcmu" } }));
    },
    invalid(inputField("format")),
  ],
];

describe("an invalid frame is answered:", () => {
  test.each(CASES)("%s", async (_name, act, expected) => {
    const client = await dial(harness);
    await client.until("created");
    act(client);
    const ended = await client.ended();
    expect(ended).toMatchObject({ ...expected, reason: expected.code });
    expect(ended.error).toMatchObject({ request_id: expect.stringMatching(/^req_/), event_id: null });
    if (expected.code === "validation_error") expect(ended.error?.details).not.toBeEmpty();
  });

  test("a frame over 24 MiB closes the socket", async () => {
    const client = await dial(harness);
    await client.until("created");
    client.socket.send("x".repeat(24 * 1024 * 1024 + 1));
    expect((await client.closed).code).toBe(1009);
  });

  test("a frame just under the limit is accepted", async () => {
    const client = await dial(harness);
    client.update(MANUAL);
    const bytes = new Uint8Array(15 * 1024 * 1024);
    client.append(bytes);
    client.commit();
    const { usage } = await client.until("completed");
    expect(usage).toEqual({ type: "duration", seconds: bytes.length / 48_000 });
    client.close();
  });

  test("counts thousands of tiny appends exactly", async () => {
    const client = await dial(harness);
    client.update(MANUAL);
    for (let count = 0; count < 10_000; count++) client.append(new Uint8Array(2));
    client.commit();
    expect((await client.until("completed")).usage).toEqual({ type: "duration", seconds: 20_000 / 48_000 });
    client.close();
  });
});

describe("memory for live audio", () => {
  const MIB = 1024 * 1024;

  test("ends the session whose organization has none left, and is released", async () => {
    const budget = openBudget(8 * MIB);
    await using server = await openHarness({ services: { live: scriptedLive().live, budget } });
    const client = await dial(server);
    await client.until("created");
    client.append(new Uint8Array(2 * MIB));
    expect(await client.ended()).toMatchObject({ close: 1013, code: "concurrency_limit_exceeded" });
    expect(budget.heldBytes()).toBe(0);
  });

  test("is released as audio is recognized", async () => {
    const budget = openBudget(8 * MIB);
    await using server = await openHarness({ services: { live: scriptedLive().live, budget } });
    const client = await dial(server);
    client.update(MANUAL);
    for (let sent = 1; sent <= 4; sent++) {
      client.append(new Uint8Array(MIB));
      client.commit();
      await client.until("completed", sent);
    }
    client.close();
    await client.closed;
    await until(() => budget.heldBytes() === 0);
  });
});

describe("a refused connection is answered:", () => {
  const refused = async (options: Parameters<typeof dial>[1]) => (await dial(harness, options)).ended();
  const bearer = (key: string) => ({ headers: { authorization: `Bearer ${key}` } });
  const unknown = `sk_live_${"x".repeat(40)}`;

  test.each([
    ["without a key", { headers: {} }, "missing_api_key"],
    ["with an unknown key", bearer(unknown), "invalid_api_key"],
    ["with a key of another form", bearer("sk-proj-1"), "invalid_api_key"],
    ["with an unknown client secret", bearer(`ek_${"x".repeat(40)}`), "invalid_api_key"],
    [
      "with an unknown key as subprotocol",
      { headers: {}, protocols: ["realtime", `openai-insecure-api-key.${unknown}`] },
      "invalid_api_key",
    ],
    ["with another scheme", { headers: { authorization: "Basic eDp5" } }, "invalid_api_key"],
  ])("%s", async (_name, options, code) => {
    expect(await refused(options)).toMatchObject({
      close: 1008,
      code,
      type: "authentication_error",
      reason: code,
    });
  });

  test("the Authorization header takes precedence over the subprotocol", async () => {
    const protocols = ["realtime", `openai-insecure-api-key.${harness.key}`];
    expect(await refused({ ...bearer(unknown), protocols })).toMatchObject({ code: "invalid_api_key" });
  });

  test("a key without the realtime scope", async () => {
    const { projectId } = (await harness.parts.accounts.authenticate(harness.key)) as { projectId: string };
    const { secret } = await harness.parts.accounts.createKey({
      projectId,
      name: "speaks only",
      environment: "live",
      scopes: ["speech:create"],
      expiresAt: null,
    });
    expect(await refused(bearer(secret))).toMatchObject({ close: 1008, code: "insufficient_scope" });
  });

  test.each([
    ["an unknown model", "model=unknown", "invalid_model"],
    ["a speech model", "model=svc-tts1", "invalid_model"],
  ])("%s", async (_name, query, code) => {
    expect(await refused({ query })).toMatchObject({ close: 1008, code, type: "invalid_request" });
  });

  test("a plain HTTP request gets upgrade_required", async () => {
    const response = await harness.ask("/v1/realtime?model=svc-stt1");
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: { code: "upgrade_required", type: "invalid_request" },
    });
  });

  test("a flood of unauthenticated connections is refused while a valid one is accepted", async () => {
    const floods = Array.from({ length: 200 }, () => refused(bearer(unknown)));
    const client = await dial(harness);
    await client.until("created");
    expect(new Set((await Promise.all(floods)).map(({ code }) => code))).toEqual(
      new Set(["invalid_api_key"]),
    );
    client.close();
  });
});
