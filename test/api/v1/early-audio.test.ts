/**
 * Promise: under another API's name of a model, speech arrives while it is synthesized, in every format and at every speed,
 * without any field that asks for it; what fails then is noticed and not charged.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { TTS_SAMPLE_RATE } from "../../../src/audio/rates.ts";
import { installedFamilies } from "../../../src/engine/families/installed.ts";
import { soleClaim } from "../../../src/engine/runner.ts";
import { differencesOf } from "../../../src/ledger/verify.ts";
import { errorOf, type Harness, openHarness } from "../../harness.ts";
import { takes, until } from "../../until.ts";
import {
  begin,
  openStandIn,
  type Reply,
  respond,
  type StandIn,
  stream,
  tone,
} from "../../upstreams/stand-in.ts";

const hasFfmpeg = installedFamilies().has("decode");
const FORMATS = ["mp3", "wav", "pcm", "flac", "opus", ...(hasFfmpeg ? ["aac"] : [])];
const INPUT =
  "The harbour lights came on one by one while the last boats turned for home. It ends when somebody says so, and not before.";

let harness: Harness;
let far: StandIn;
/** How the second sentence is answered. */
let second: (reply: Reply) => void | Promise<void>;

beforeAll(async () => {
  harness = await openHarness({ plan: "unmetered" });
  far = openStandIn(() => {});
  const voice = { id: "far-voice", speaker: "voice", name: "Far", languages: ["en"] };
  const models = [{ type: "tts", model: "far-tts", upstream_model: "far", voices: [voice] }];
  const timeouts = { first_byte_ms: 3000, between_bytes_ms: 3000, whole_ms: 9000 };
  await harness.parts.upstreamAdmin.put({
    ...{ credential: null, name: "far", preset: "openai", urls: [far.url], added: "2026-11-23", models },
    flags: { health: null, timeouts },
  });
  await harness.parts.aliases.set({ kind: "model", name: "other-tts", targets: ["far-tts"], format: "mp3" });
});
afterAll(async () => {
  far[Symbol.dispose]();
  await harness[Symbol.asyncDispose]();
});
beforeEach(() => {
  far.answer = ({ body }, reply) =>
    body.includes("somebody") ? second(reply) : stream(reply, [tone(0.5), tone(0.5)]);
});
afterEach(async () => expect(differencesOf(await harness.parts.ledger.audit())).toEqual([]));

const speak = (fields: object, headers: Record<string, string> = {}) =>
  harness.ask("/v1/audio/speech", {
    method: "POST",
    headers,
    body: JSON.stringify({ model: "tts-1", voice: "alloy", input: INPUT, ...fields }),
  });
const FAR = { model: "other-tts", voice: "far-voice" };
async function rowOf(response: Response) {
  const id = response.headers.get("x-request-id")!;
  const read = () => harness.parts.ledger.request(harness.organizationId, id);
  await until(async () => (await read()) !== null);
  return read();
}

async function secondsOf(response: Response, format: string): Promise<number> {
  expect(response.status).toBe(200);
  const bytes = await response.bytes();
  if (format === "pcm") return bytes.length / 2 / TTS_SAMPLE_RATE;
  const decoded = await harness.parts.decoder.decode(bytes, soleClaim());
  if ("refusal" in decoded) throw new Error(decoded.message);
  return decoded.durationSeconds;
}

/** The audio of the events of a stream. */
async function audioIn(response: Response): Promise<Response> {
  const events = (await response.text()).matchAll(/"audio":"([^"]*)"/g);
  return new Response(Buffer.concat(Array.from(events, ([, audio]) => Buffer.from(audio!, "base64"))));
}

/** At the natural speed, measured once. */
let naturalSeconds: Promise<number> | null = null;
function natural(): Promise<number> {
  naturalSeconds ??= speak({ response_format: "pcm" }).then((response) => secondsOf(response, "pcm"));
  return naturalSeconds;
}

describe.each(FORMATS)("%s", (response_format) => {
  test("begins before the engine has done all of it, and is whole at the end", async () => {
    const gate = Promise.withResolvers<void>();
    second = async (reply) => {
      await gate.promise;
      stream(reply, [tone(0.5), tone(0.5)]);
    };
    const response = await speak({ ...FAR, response_format });
    expect(response.headers.get("content-length")).toBeNull();
    const reader = response.body!.getReader();
    const first = await reader.read();
    expect(first.value!.length).toBeGreaterThan(1000); // more than headers
    gate.resolve();
    const chunks = [first.value!];
    for (let step = await reader.read(); !step.done; step = await reader.read()) chunks.push(step.value);
    const seconds = await secondsOf(new Response(Buffer.concat(chunks)), response_format);
    const exact = await secondsOf(await speak({ ...FAR, response_format: "pcm" }), "pcm");
    expect(Math.abs(seconds - exact)).toBeLessThan(0.1); // padding of whole frames
    expect(await rowOf(response)).toMatchObject({ status: 200, stream: true });
  });

  test.each([0.5, 1.5, 4])("has speed %p, plain and as events", async (speed) => {
    const plain = await secondsOf(await speak({ response_format, speed }), response_format);
    expect(plain / (await natural())).toBeWithin(0.85 / speed, 1.15 / speed + 0.02);
    const events = await speak({ response_format, speed, stream_format: "sse" });
    const inEvents = await secondsOf(await audioIn(events), response_format);
    expect(Math.abs(inEvents - plain)).toBeLessThan(0.05);
  });

  test("is one file with its length where stream is false", async () => {
    const response = await speak({ response_format, stream: false });
    const bytes = await response.bytes();
    expect(Number(response.headers.get("content-length"))).toBe(bytes.length);
    expect(await rowOf(response)).toMatchObject({ status: 200, stream: false });
  });
});

test.each([0.5, 2, 4])("speed %p is had from a server that has no speed", async (speed) => {
  const voice = { id: "even-voice", speaker: "voice", name: "Even", languages: ["en"] };
  await harness.parts.upstreamAdmin.put({
    ...{ credential: null, name: "even", preset: "openai", urls: [far.url], added: "2026-11-23" },
    models: [{ type: "tts", model: "even-tts", upstream_model: "even", voices: [voice] }],
    flags: { health: null, speech: { speed: null } },
  });
  await harness.parts.aliases.set({ kind: "model", name: "even", targets: ["even-tts"], format: null });
  far.answer = (_request, reply) => stream(reply, [tone(1)]);
  const even = { model: "even", voice: "even-voice", input: "Good morning.", response_format: "pcm" };
  expect(await secondsOf(await speak({ ...even, speed }), "pcm")).toBeCloseTo(1 / speed, 1);
  expect(far.requests.at(-1)!.body).not.toContain("speed");
});

test("the ids of the catalogue answer whole files, and refuse what they do not stream by the name of the field", async () => {
  const named = { model: "svc-tts1", voice: "female-warm" };
  const whole = await speak(named);
  expect(Number(whole.headers.get("content-length"))).toBe((await whole.bytes()).length);
  expect(await errorOf(await speak({ ...named, response_format: "mp3", stream: true }))).toMatchObject({
    ...{ status: 400, code: "unsupported_response_format", param: "response_format" },
    message:
      "svc-tts1 streams pcm, not mp3. Name another response_format, or leave out stream and stream_format.",
  });
  expect(
    await errorOf(await speak({ ...named, response_format: "pcm", stream_format: "sse", speed: 1.2 })),
  ).toMatchObject({
    ...{ status: 400, code: "unsupported_speed", param: "speed" },
    message: "svc-tts1 streams at speed 1.0 only, not 1.2. Leave out speed, or stream and stream_format.",
  });
});

test("the list of models says what streams under each name", async () => {
  const { data } = (await (await harness.ask("/v1/models?type=tts")).json()) as { data: Listed[] };
  const optionsOf = (id: string) => data.find((model) => model.id === id)!.speech_options;
  for (const id of ["tts-1", "kokoro", "other-tts"]) {
    const { streamable_formats, response_formats, speed } = optionsOf(id);
    expect(new Set(streamable_formats)).toEqual(new Set(FORMATS));
    expect([response_formats, speed]).toEqual([streamable_formats, { min: 0.25, max: 4 }]);
  }
  expect(optionsOf("svc-tts1").streamable_formats).toEqual(["pcm"]);
});
type Options = { streamable_formats: string[]; response_formats: string[]; speed: object };
type Listed = { id: string; speech_options: Options };

test.each(FORMATS)(
  "%s that fails later breaks off, and what is missing is given back",
  async (response_format) => {
    second = async (reply) => {
      begin(reply, [tone(0.5)]);
      await takes(100);
      reply.reset();
    };
    const before = await harness.parts.ledger.totals(harness.organizationId);
    const answer = await rawAnswer({ ...FAR, response_format });
    const isChunked = answer.toLowerCase().includes("\r\ntransfer-encoding: chunked\r\n");
    expect([isChunked, answer.endsWith("0\r\n\r\n")]).toEqual([true, false]);
    expect(answer.length).toBeGreaterThan(3000);
    const charged = async () =>
      (await harness.parts.ledger.totals(harness.organizationId)).characters - before.characters;
    await until(async () => (await charged()) < INPUT.length);
    expect(await charged()).toBeWithin(1, 0.8 * INPUT.length);
  },
);

/** All bytes of an answer, as the socket has them. */
function rawAnswer(fields: object): Promise<string> {
  const body = JSON.stringify({ input: INPUT, ...fields });
  const { promise, resolve } = Promise.withResolvers<string>();
  let text = "";
  const { hostname, port } = new URL(harness.url);
  void Bun.connect({
    hostname,
    port: Number(port),
    socket: {
      open: (socket) =>
        void socket.write(
          `POST /v1/audio/speech HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: Bearer ${harness.key}\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
        ),
      data: (_socket, bytes) => {
        text += bytes.toString("latin1");
      },
      close: () => resolve(text),
    },
  });
  return promise;
}

test("a request that is sent again is done again, and is not charged again", async () => {
  const key = { "idempotency-key": "order-4" };
  const first = await (await speak({}, key)).bytes();
  const before = await harness.parts.ledger.totals(harness.organizationId);
  const again = await speak({}, key);
  expect(again.headers.get("idempotent-replayed")).toBe("true");
  expect((await again.bytes()).length).toBe(first.length);
  const after = await harness.parts.ledger.totals(harness.organizationId);
  expect(after.characters).toBe(before.characters);
});

test("what fails before the first audio is an error with its status", async () => {
  far.answer = (_request, reply) => respond(reply, 500);
  const response = await speak({ ...FAR, response_format: "opus" });
  const { status, type } = await errorOf(response);
  expect([502, 503]).toContain(status); // the second, where the server failed several times before
  expect(type).toBe("api_error");
  expect(await rowOf(response)).toMatchObject({ costMicros: 0, status });
});
