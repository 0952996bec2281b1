/** Promise: whatever a client may not say or open has its documented outcome, promptly, and a name. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { openBudget } from "../../../src/memory/budget.ts";
import { type Harness, openHarness } from "../../harness.ts";
import { type Client, dial, MANUAL, scriptedLive, silence } from "./live.ts";

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness({ own: { live: scriptedLive().live } });
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
const at = (name: string) => `session.audio.input.${name}`;

const BRACKETS = 2_000_000;
const nested = `${"[".repeat(BRACKETS)}${"]".repeat(BRACKETS)}`;
const large = "A".repeat(70_000);

const CASES: Case[] = [
  [
    "a large frame that is no audio",
    raw(`{"type":"output_audio_buffer.clear","pad":${nested}}`),
    bad("invalid_event"),
  ],
  [
    "a large frame that only looks like audio",
    raw(`{"type":"session.update","audio":"${large}"}`),
    bad("invalid_event"),
  ],
  [
    "audio inside something else of a large frame",
    raw(`{"x":{"audio":"${large}"},"type":"input_audio_buffer.append","audio":"AAAA"}`),
    bad("invalid_event"),
  ],
  [
    "large audio with a large rest",
    raw(`{"audio":"${large}","type":"input_audio_buffer.append","pad":"${large}"}`),
    bad("invalid_event"),
  ],
  ["large audio that does not end", raw(`{"type":"x","audio":"${large}`), bad("invalid_event")],
  [
    "large audio that is not base64",
    raw(`{"type":"input_audio_buffer.append","audio":"${large}§"}`),
    invalid("audio"),
  ],
  [
    "forty objects in one another",
    raw(`{"type":"output_audio_buffer.clear","pad":${'{"a":'.repeat(40)}1${"}".repeat(40)}}`),
    bad("invalid_event"),
  ],
  [
    "three thousand numbers",
    raw(JSON.stringify({ type: "output_audio_buffer.clear", pad: Array(3000).fill(0) })),
    bad("invalid_event"),
  ],
  ["text that is no JSON", raw("hello"), bad("invalid_event")],
  ["half an object", raw('{"type":'), bad("invalid_event")],
  ["an array", raw("[]"), bad("invalid_event")],
  ["a number", raw("12"), bad("invalid_event")],
  ["null", raw("null"), bad("invalid_event")],
  ["nothing", raw(""), bad("invalid_event")],
  ["a binary frame", raw(new Uint8Array(100)), bad("invalid_event")],
  ["an event without a type", raw("{}"), bad("invalid_event", "type")],
  ["a type that is no text", raw('{"type":1}'), bad("invalid_event", "type")],
  ["an unknown type", event("no.such.event"), bad("invalid_event", "type")],
  ["a type from the prototype", event("__proto__"), bad("invalid_event", "type")],
  ["a wish for an answer", event("response.create"), bad("invalid_event", "type")],
  ["a wish to cancel one", event("response.cancel"), bad("invalid_event", "type")],
  ["an item of its own", event("conversation.item.create", { item: {} }), bad("invalid_event", "type")],
  ["a cut item", event("conversation.item.truncate"), bad("invalid_event", "type")],
  ["audio that is missing", event("input_audio_buffer.append"), invalid("audio")],
  ["audio that is null", event("input_audio_buffer.append", { audio: null }), invalid("audio")],
  ["audio that is a number", event("input_audio_buffer.append", { audio: 7 }), invalid("audio")],
  ["audio that is not base64", event("input_audio_buffer.append", { audio: "§§§§" }), invalid("audio")],
  [
    "audio with one letter too many",
    event("input_audio_buffer.append", { audio: "AAAAA" }),
    invalid("audio"),
  ],
  ["an item without its id", event("conversation.item.retrieve"), invalid("item_id")],
  ["an item whose id is a number", event("conversation.item.delete", { item_id: 1 }), invalid("item_id")],
  ["an update of nothing", event("session.update"), invalid("session")],
  ["an update that is text", set("now"), invalid("session")],
  ["a format nobody knows", set(input({ format: { type: "audio/mp3" } })), invalid(at("format.type"))],
  ["a rate too low", set(input({ format: { type: "audio/pcm", rate: 4000 } })), invalid(at("format.rate"))],
  [
    "a rate too high",
    set(input({ format: { type: "audio/pcm", rate: 96_000 } })),
    invalid(at("format.rate")),
  ],
  ["half a rate", set(input({ format: { type: "audio/pcm", rate: 8000.5 } })), invalid(at("format.rate"))],
  [
    "a threshold over one",
    set(input({ turn_detection: { threshold: 2 } })),
    invalid(at("turn_detection.threshold")),
  ],
  [
    "a silence below zero",
    set(input({ turn_detection: { silence_duration_ms: -1 } })),
    invalid(at("turn_detection.silence_duration_ms")),
  ],
  [
    "an idle time too short",
    set(input({ turn_detection: { idle_timeout_ms: 100 } })),
    invalid(at("turn_detection.idle_timeout_ms")),
  ],
  [
    "a detector nobody knows",
    set(input({ turn_detection: { type: "x" } })),
    invalid(at("turn_detection.type")),
  ],
  [
    "a model that is none",
    set(input({ transcription: { model: "whisper-1" } })),
    bad("invalid_model", "model"),
  ],
  [
    "a model that speaks",
    set(input({ transcription: { model: "svc-tts1" } })),
    bad("invalid_model", "model"),
  ],
  [
    "a language it lacks",
    set(input({ transcription: { language: "de" } })),
    bad("unsupported_language", "language"),
  ],
  ["a beta format nobody knows", set({ input_audio_format: "mp3" }), invalid("session.input_audio_format")],
  [
    "another format with audio buffered",
    (client) => {
      client.update(MANUAL);
      client.append(silence(1));
      client.update(input({ format: { type: "audio/pcmu" } }));
    },
    invalid(at("format")),
  ],
];

describe("what a client may not say", () => {
  test.each(CASES)("%s", async (_name, act, expected) => {
    const client = await dial(harness);
    await client.until("created");
    act(client);
    const ended = await client.ended();
    expect(ended).toMatchObject({ ...expected, reason: expected.code });
    expect(ended.error).toMatchObject({ request_id: expect.stringMatching(/^req_/), event_id: null });
    if (expected.code === "validation_error") expect(ended.error?.details).not.toBeEmpty();
  });

  test("a frame over 24 MiB", async () => {
    const client = await dial(harness);
    await client.until("created");
    client.socket.send("x".repeat(24 * 1024 * 1024 + 1));
    expect((await client.closed).code).toBe(1009);
  });

  test("a frame just under it is taken", async () => {
    const client = await dial(harness);
    client.update(MANUAL);
    const bytes = new Uint8Array(15 * 1024 * 1024);
    client.append(bytes);
    client.commit();
    const { usage } = await client.until("completed");
    expect(usage).toEqual({ type: "duration", seconds: bytes.length / 48_000 });
    client.close();
  });

  test("thousands of tiny appends are all counted", async () => {
    const client = await dial(harness);
    client.update(MANUAL);
    for (let count = 0; count < 10_000; count++) client.append(new Uint8Array(2));
    client.commit();
    expect((await client.until("completed")).usage).toEqual({ type: "duration", seconds: 20_000 / 48_000 });
    client.close();
  });
});

describe("what live audio may hold of the memory", () => {
  const MIB = 1024 * 1024;

  test("a frame for which its organization has no room left ends the session, and nothing stays held", async () => {
    const budget = openBudget(8 * MIB);
    await using own = await openHarness({ own: { live: scriptedLive().live, budget } });
    const client = await dial(own);
    await client.until("created");
    client.append(new Uint8Array(2 * MIB));
    expect(await client.ended()).toMatchObject({ close: 1013, code: "concurrency_limit_exceeded" });
    expect(budget.heldBytes()).toBe(0);
  });

  test("what was heard makes room for more", async () => {
    const budget = openBudget(8 * MIB);
    await using own = await openHarness({ own: { live: scriptedLive().live, budget } });
    const client = await dial(own);
    client.update(MANUAL);
    for (let sent = 1; sent <= 4; sent++) {
      client.append(new Uint8Array(MIB));
      client.commit();
      await client.until("completed", sent);
    }
    client.close();
    await client.closed;
    while (budget.heldBytes() > 0) await Bun.sleep(5);
  });
});

describe("who may not open one", () => {
  const refused = async (given: Parameters<typeof dial>[1]) => (await dial(harness, given)).ended();
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
  ])("%s", async (_name, given, code) => {
    expect(await refused(given)).toMatchObject({
      close: 1008,
      code,
      type: "authentication_error",
      reason: code,
    });
  });

  test("the header wins over the subprotocol", async () => {
    const protocols = ["realtime", `openai-insecure-api-key.${harness.key}`];
    expect(await refused({ ...bearer(unknown), protocols })).toMatchObject({ code: "invalid_api_key" });
  });

  test("a key without the scope", async () => {
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
    ["a model that is none", "model=nobody", "invalid_model"],
    ["a model that speaks", "model=svc-tts1", "invalid_model"],
  ])("%s", async (_name, query, code) => {
    expect(await refused({ query })).toMatchObject({ close: 1008, code, type: "invalid_request" });
  });

  test("a plain HTTP request is refused with upgrade_required", async () => {
    const response = await harness.ask("/v1/realtime?model=svc-stt1");
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: { code: "upgrade_required", type: "invalid_request" },
    });
  });

  test("a storm of strangers is turned away, and a friend is let in", async () => {
    const strangers = Array.from({ length: 200 }, () => refused(bearer(unknown)));
    const friend = await dial(harness);
    await friend.until("created");
    expect(new Set((await Promise.all(strangers)).map(({ code }) => code))).toEqual(
      new Set(["invalid_api_key"]),
    );
    friend.close();
  });
});
