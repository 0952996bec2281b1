/** Promise: sockets of ElevenLabs speak what is written to them as it comes, each context apart, and charge what they sent. */
import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { differencesOf } from "../../../src/ledger/verify.ts";
import { SCOPES } from "../../../src/scopes.ts";
import { type Harness, openHarness } from "../../harness.ts";
import { quietFor, until } from "../../until.ts";
import { decoded } from "./asking.ts";
import { type Alignment, dialSpeech, heardAt } from "./speech-dial.ts";

setDefaultTimeout(120_000);

const PRICE = 15; // micros a character
const ONE = "/v1/text-to-speech/female-warm/stream-input";
const MULTI = "/v1/text-to-speech/female-warm/multi-stream-input";

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
});
afterAll(() => harness[Symbol.asyncDispose]());
afterEach(async () => {
  await until(() => harness.parts.activity.openSessions() === 0);
  expect(differencesOf(await harness.parts.ledger.audit())).toEqual([]);
});

const dial = (path: string, key: string | null = harness.key) =>
  dialSpeech(harness, { path, headers: key === null ? {} : { "xi-api-key": key } });

const balance = async () => (await harness.parts.ledger.credit(harness.organizationId)).balanceMicros;
/** Characters that are paid for while something is done. */
async function paidFor(work: () => Promise<unknown>): Promise<number> {
  const before = await balance();
  await work();
  return (before - (await balance())) / PRICE;
}

describe("stream-input", () => {
  const TEXT = ["Hello there, ", "my dear world. ", "How are ", "you today? "];

  async function spokenIn(format: string) {
    const client = await dial(`${ONE}?output_format=${format}`);
    client.send({ text: " ", voice_settings: null, generation_config: { chunk_length_schedule: [50] } });
    for (const text of TEXT) client.send({ text, try_trigger_generation: true });
    client.send({ text: "" });
    expect(await client.closed()).toMatchObject({ code: 1000 });
    return client;
  }

  test("speaks the text, says when each character is heard, and ends in order", async () => {
    let client!: Awaited<ReturnType<typeof spokenIn>>;
    const paid = await paidFor(async () => {
      client = await spokenIn("pcm_16000");
    });
    expect(paid).toBe(TEXT.join("").length);
    expect(client.told.at(-1)).toEqual({ audio: null, isFinal: true });
    const { text, starts } = heardAt(client.told.flatMap(({ alignment }) => alignment ?? []));
    expect(text).toBe(TEXT.join(""));
    expect(starts.toSorted((a, b) => a - b)).toEqual(starts);
    const seconds = client.audio().length / 32_000;
    expect(starts.at(-1)! / 1000).toBeWithin(seconds / 2, seconds + 0.01);
  });

  test("sends one file of MP3, in the rate that it names", async () => {
    const { rate, seconds } = await decoded("mp3", (await spokenIn("mp3_22050_32")).audio());
    expect(rate).toBe(22_050);
    expect(seconds).toBeWithin(2, 6);
  });

  test("speaks what is flushed before the text ends", async () => {
    const client = await dial(`${ONE}?output_format=pcm_8000`);
    client.send({ text: "Hello", flush: true });
    await client.until(({ audio }) => (audio?.length ?? 0) > 0);
    expect(client.isClosed()).toBe(false);
    client.send({ text: "" });
    await client.closed();
  });

  test("speaks at the speed of the first message", async () => {
    const length = async (speed: number) => {
      const client = await dial(`${ONE}?output_format=pcm_8000`);
      client.send({ text: " ", voice_settings: { speed, stability: 1 } });
      client.send({ text: "Hello there, my dear world. " });
      client.send({ text: "" });
      await client.closed();
      return client.audio().length;
    };
    expect((await length(0.7)) / (await length(1.2))).toBeWithin(1.3, 2.2);
  });

  test("takes the key from the first message, where no header has it", async () => {
    for (const sent of [{ xi_api_key: harness.key }, { authorization: `Bearer ${harness.key}` }]) {
      const client = await dial(`${ONE}?output_format=pcm_8000`, null);
      client.send({ text: " ", ...sent });
      client.send({ text: "Hi. " });
      client.send({ text: "" });
      expect(await client.closed()).toMatchObject({ code: 1000 });
      expect(client.audio().length).toBeGreaterThan(1000);
    }
  });

  test("names what has no effect in a header of the upgrade", async () => {
    const client = await dial(`${ONE}?auto_mode=true&enable_logging=false&output_format=pcm_8000`);
    expect(client.head["x-ignored-fields"]).toBe("auto_mode, enable_logging");
    client.send({ text: "" });
    await client.closed();
  });
});

describe("multi-stream-input", () => {
  test("speaks each context apart, and goes on when one has ended", async () => {
    const client = await dial(`${MULTI}?output_format=pcm_16000`);
    for (const id of ["a", "b"]) {
      client.send({ text: " ", context_id: id, voice_settings: {} });
      client.send({ text: `This is context ${id}. `, context_id: id });
    }
    client.send({ text: "" }); // keeps it open
    client.send({ context_id: "a", flush: true });
    client.send({ context_id: "a", close_context: true });
    await client.until(({ contextId, isFinal }) => contextId === "a" && isFinal === true);
    client.send({ context_id: "b", flush: true });
    client.send({ context_id: "b", close_context: true });
    await client.until(({ contextId, isFinal }) => contextId === "b" && isFinal === true);
    expect(client.isClosed()).toBe(false);
    for (const id of ["a", "b"]) {
      const alignments = client.told
        .filter(({ contextId }) => contextId === id)
        .map(({ alignment }) => alignment);
      expect(heardAt(alignments.filter((each): each is Alignment => !!each)).text).toBe(
        `This is context ${id}. `,
      );
      expect(client.audio(id).length / 32_000).toBeWithin(0.5, 4);
    }
    client.send({ close_socket: true });
    expect(await client.closed()).toMatchObject({ code: 1000 });
  });

  test("tells a context what it was refused for, and goes on", async () => {
    const client = await dial(`${MULTI}?output_format=pcm_8000`);
    for (let i = 0; i < 10; i++) client.send({ text: "Hi. ", context_id: `c${i}` });
    client.send({ text: "One more. ", context_id: "more" });
    const refused = await client.until(({ contextId, error }) => contextId === "more" && error !== undefined);
    expect(refused).toMatchObject({
      code: "invalid_event",
      error: expect.stringContaining("at most 10 contexts"),
    });
    const locators = [{ pronunciation_dictionary_id: "a", version_id: "b" }];
    client.send({ context_id: "c0", close_context: true });
    await client.until(({ contextId, isFinal }) => contextId === "c0" && isFinal === true);
    client.send({ text: " a", context_id: "d", pronunciation_dictionary_locators: locators });
    expect(await client.until(({ contextId }) => contextId === "d")).toMatchObject({
      code: "unsupported_parameter",
    });
    client.send({ close_socket: true });
    expect(await client.closed()).toMatchObject({ code: 1000 });
  });

  test("ignores what is sent to contexts that are not open", async () => {
    const client = await dial(`${MULTI}?output_format=pcm_8000`);
    client.send({ context_id: "none", flush: true });
    client.send({ context_id: "none", close_context: true });
    client.send({ text: "", context_id: "none" });
    client.send({ close_socket: true });
    expect(await client.closed()).toMatchObject({ code: 1000 });
    expect(client.told).toEqual([]);
  });
});

describe("is refused, and closed with 1008:", () => {
  const refusedWith = async (path: string, frames: (string | object)[], key = harness.key) => {
    const client = await dial(path, key);
    for (const frame of frames) client.send(frame);
    const { code } = await client.closed();
    const { error, message } = client.told.at(-1)!;
    return { code, error, message };
  };

  test.each<[string, string, (string | object)[], string]>([
    ["a frame that is no JSON", ONE, ["{"], "invalid_event"],
    ["a frame that is no object", MULTI, ["[]"], "invalid_event"],
    ["a frame that is too large", ONE, [{ text: "a".repeat(70_000) }], "invalid_event"],
    ["a text that is none", MULTI, [{ text: 5 }], "validation_error"],
    ["a format that is not made", `${ONE}?output_format=mp4`, [], "unsupported_response_format"],
    ["a voice that is not here", "/v1/text-to-speech/unknown/stream-input", [], "invalid_voice"],
    ["a model that is not here", `${MULTI}?model_id=nothing`, [], "invalid_model"],
    ["an address that is malformed", "/v1/text-to-speech/%E0%A4%A/stream-input", [], "invalid_voice"],
  ])("%s", async (_name, path, frames, error) => {
    expect(
      await paidFor(async () => {
        expect(await refusedWith(path, frames)).toMatchObject({ code: 1008, error });
      }),
    ).toBe(0);
  });

  test("a key that is none, has no scope, or does not come", async () => {
    expect(await refusedWith(ONE, [], "sk_live_wrong")).toMatchObject({
      code: 1008,
      error: "invalid_api_key",
    });
    const { accounts } = harness.parts;
    const projectId = (await accounts.defaultProject(harness.organizationId))!.id;
    const scopes = SCOPES.filter((scope) => scope !== "speech:create");
    const made = { name: "a", environment: "live", expiresAt: null, projectId, scopes } as const;
    const { secret } = await accounts.createKey(made);
    expect(await refusedWith(ONE, [], secret)).toMatchObject({ error: "insufficient_scope" });
    const client = await dial(ONE, null);
    client.send({ text: " " });
    expect(await client.closed()).toMatchObject({ code: 1008, reason: "missing_api_key" });
  });

  test("more text than can wait", async () => {
    const text = `${"word ".repeat(3000)}`;
    const frames = Array.from({ length: 5 }, () => ({ text }));
    expect(await refusedWith(`${ONE}?output_format=pcm_8000`, frames)).toMatchObject({
      error: "validation_error",
    });
  });

  test("a binary frame", async () => {
    const client = await dial(ONE);
    client.socket.send(Buffer.from([1, 2, 3]));
    expect(await client.closed()).toMatchObject({ code: 1008, reason: "invalid_event" });
  });
});

test("a client that leaves pays for what it was sent, and holds no slot", async () => {
  const sentence = "The harbour lights came on one by one while the last boats turned for home. ";
  const paid = await paidFor(async () => {
    const client = await dial(`${ONE}?output_format=pcm_48000`);
    client.send({ text: sentence.repeat(60) });
    await client.until(({ audio }) => (audio?.length ?? 0) > 0);
    client.socket.terminate();
    await until(() => harness.parts.activity.openSessions() === 0);
  });
  expect(paid).toBeWithin(1, 60 * sentence.length);
});

test("a client that reads nothing holds back its text, and keeps its connection", async () => {
  await using own = await openHarness();
  const balanceMicros = async () => (await own.parts.ledger.credit(own.organizationId)).balanceMicros;
  const before = await balanceMicros();
  const paid = async () => (before - (await balanceMicros())) / PRICE;
  const sentence = "The harbour lights came on one by one while the last boats turned for home. ";
  const count = 60;
  const headers = { "xi-api-key": own.key };
  const client = await dialSpeech(own, { path: `${ONE}?output_format=pcm_48000`, headers });
  client.socket.pause();
  client.send({ text: sentence.repeat(count) });
  client.send({ text: "" });
  let last = -1;
  for (let now = await until(async () => (await paid()) || null); now !== last; now = await paid()) {
    last = now;
    await quietFor(1000);
  }
  expect(last).toBeWithin(1, count * sentence.length - 1);
  client.socket.resume();
  expect(await client.closed()).toMatchObject({ code: 1000 });
  expect(await paid()).toBe(count * sentence.length);
  const { text } = heardAt(client.told.flatMap(({ alignment }) => alignment ?? []));
  expect(text.length).toBe(count * sentence.length);
});

test("a connection without messages is closed after inactivity_timeout, with one of its own clock", async () => {
  const client = await dial(`${MULTI}?inactivity_timeout=30`);
  client.send({ text: "" });
  await quietFor(100);
  harness.clock.pass(29_000);
  await quietFor(1200);
  expect(client.isClosed()).toBe(false);
  harness.clock.pass(2000);
  await client.closed();
  expect(client.told.at(-1)).toMatchObject({ error: "session_expired" });
});

test("one whose SSML is spoken counts as being without messages", async () => {
  const client = await dial(`${MULTI}?inactivity_timeout=30&output_format=pcm_8000`);
  client.send({ text: "<speak>Good morning.</speak>", context_id: "a", flush: true });
  await client.until(({ audio }) => (audio?.length ?? 0) > 0);
  await quietFor(1200);
  harness.clock.pass(31_000);
  await client.closed();
  expect(client.told.at(-1)).toMatchObject({ error: "session_expired" });
});

test("a key that ends closes its sockets", async () => {
  const { accounts } = harness.parts;
  const projectId = (await accounts.defaultProject(harness.organizationId))!.id;
  const made = { name: "a", environment: "live", expiresAt: null, projectId, scopes: [...SCOPES] } as const;
  const { id, secret } = await accounts.createKey(made);
  const client = await dial(`${MULTI}?inactivity_timeout=180`, secret);
  client.send({ text: "" });
  await quietFor(200);
  await accounts.revokeKey(id);
  expect(await client.closed()).toMatchObject({ code: 1008, reason: "api_key_revoked" });
});
