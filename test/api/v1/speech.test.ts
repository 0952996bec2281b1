/**
 * Promise: every invalid speech request gets its documented error, without delay, in the documented order, and leaves
 * nothing behind.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { errorOf, type Harness, openHarness } from "../../harness.ts";
import { countTurns } from "../../turns.ts";
import { until } from "../../until.ts";

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness({ timeouts: { idleMs: 300, totalMs: 1500 } });
});
afterAll(() => harness[Symbol.asyncDispose]());

const good = { model: "svc-tts1", voice: "male-classic", input: "Hello there." };
const speak = (body: unknown, init: RequestInit = {}) =>
  harness.ask("/v1/audio/speech", {
    method: "POST",
    body: typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body),
    ...init,
  });

type Refusal = [name: string, body: unknown, status: number, code: string, param: string | null];

const refusals: Refusal[] = [
  ["no JSON", "{", 422, "validation_error", null],
  ["an empty body", "", 422, "validation_error", null],
  ["brackets 60,000 deep", "[".repeat(60_000) + "]".repeat(60_000), 422, "validation_error", null],
  ["an object 33 deep", `${'{"a":'.repeat(33)}1${"}".repeat(33)}`, 422, "validation_error", null],
  ["2,001 values", { ...good, more: Array(2001).fill(1) }, 422, "validation_error", null],
  ["a list", [], 422, "validation_error", null],
  ["null", "null", 422, "validation_error", null],
  ["bytes that are no UTF-8", new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d]), 422, "validation_error", null],
  ["a body over the limit", `"${"x".repeat(300_000)}"`, 422, "validation_error", null],
  ["no model", { ...good, model: undefined }, 422, "validation_error", "model"],
  ["no voice", { ...good, voice: null }, 422, "validation_error", "voice"],
  ["no input", { ...good, input: null }, 422, "validation_error", "input"],
  ["a model that is a number", { ...good, model: 1 }, 422, "validation_error", "model"],
  ["a voice that is a list", { ...good, voice: [] }, 422, "validation_error", "voice"],
  ["an input that is an object", { ...good, input: {} }, 422, "validation_error", "input"],
  ["an empty input", { ...good, input: "" }, 422, "validation_error", "input"],
  ["an input of white space", { ...good, input: " \n\t " }, 422, "validation_error", "input"],
  ["8,001 characters", { ...good, input: "a".repeat(8001) }, 422, "validation_error", "input"],
  ["8,001 emoji", { ...good, input: "😀".repeat(8001) }, 422, "validation_error", "input"],
  ["speed 0.1", { ...good, speed: 0.1 }, 422, "validation_error", "speed"],
  ["speed 4.1", { ...good, speed: 4.1 }, 422, "validation_error", "speed"],
  ["speed as text", { ...good, speed: "1" }, 422, "validation_error", "speed"],
  ["stream as text", { ...good, stream: "true" }, 422, "validation_error", "stream"],
  ["stream_format xml", { ...good, stream_format: "xml" }, 422, "validation_error", "stream_format"],
  ["response_format 7", { ...good, response_format: 7 }, 422, "validation_error", "response_format"],
  [
    "4,097 characters of instructions",
    { ...good, instructions: "x".repeat(4097) },
    422,
    "validation_error",
    "instructions",
  ],
  ["an unknown model", { ...good, model: "tts-9" }, 400, "invalid_model", "model"],
  ["an STT model", { ...good, model: "svc-stt1" }, 400, "invalid_model", "model"],
  ["an unknown voice", { ...good, voice: "alloy" }, 404, "invalid_voice", "voice"],
  [
    "another model's voice",
    { ...good, model: "svc-tts2", voice: "male-deep" },
    400,
    "voice_not_supported",
    "voice",
  ],
  ["aac", { ...good, response_format: "aac" }, 400, "unsupported_response_format", "response_format"],
  [
    "flac on svc-tts2",
    { ...good, model: "svc-tts2", response_format: "flac" },
    400,
    "unsupported_response_format",
    "response_format",
  ],
  [
    "streamed wav on svc-tts1",
    { ...good, stream: true },
    400,
    "unsupported_response_format",
    "response_format",
  ],
  [
    "speed while streaming",
    { ...good, response_format: "pcm", stream: true, speed: 2 },
    400,
    "unsupported_speed",
    "speed",
  ],
  ["speed on svc-tts2", { ...good, model: "svc-tts2", speed: 2 }, 400, "unsupported_speed", "speed"],
  [
    "only Cyrillic, for an English voice",
    { ...good, input: "Привет!" },
    422,
    "unpronounceable_input",
    "input",
  ],
  [
    "only Chinese, for a streamed Spanish voice",
    { ...good, voice: "female-sunny", input: "你好", response_format: "pcm", stream: true },
    422,
    "unpronounceable_input",
    "input",
  ],
];

describe("a speech request is refused for", () => {
  test.each(refusals)("%s", async (_name, body, status, code, param) => {
    const response = await speak(body);
    const error = await errorOf(response);
    expect(error).toMatchObject({ status, code, param });
    expect(error.request_id).toBe(response.headers.get("x-request-id")!);
    expect(error.details !== undefined).toBe(code === "validation_error");
  });

  test("an unknown name, and the error lists the accepted ones", async () => {
    const format = await errorOf(await speak({ ...good, response_format: "aac" }));
    expect(format.message).toContain("svc-tts1 produces wav, mp3, flac, pcm, opus");
    const speed = await errorOf(await speak({ ...good, model: "svc-tts2", speed: 2 }));
    expect(speed.message).toContain("svc-tts2 accepts speed 1.0 only");
    const model = await errorOf(await speak({ ...good, model: "x" }));
    expect(model.message).toContain("svc-tts1, svc-tts2");
  });

  test("several invalid fields, and the error names all of them", async () => {
    const { details } = await errorOf(await speak({ input: 5, speed: 9 }));
    expect(details!.map(({ field, code }) => `${field} ${code}`).sort()).toEqual([
      "input wrong_type",
      "model required",
      "speed out_of_range",
      "voice required",
    ]);
  });
});

describe("a speech request is accepted with", () => {
  const accepted: [string, object][] = [
    ["nulls for absent fields", { ...good, speed: null, stream: null, stream_format: null, language: null }],
    ["unknown fields", { ...good, user: "me", keywords: ["x"] }],
    ["a voice as an object", { ...good, voice: { id: "male-classic" } }],
    ["NUL, lone surrogates and controls", { ...good, input: "a\u0000b\ud800c\u0007 hello" }],
    ["right-to-left text and emoji", { ...good, input: "hello مرحبا 👩‍👩‍👧 there" }],
    ["a word of 400 characters", { ...good, input: "a".repeat(400) }],
    ["text that looks like options", { ...good, input: "-o /etc/passwd --help" }],
    ["instructions and a language", { ...good, instructions: "Slower, please", language: "en-US" }],
    ["a language that is no tag", { ...good, language: "!!" }],
  ];
  test.each(accepted)("%s", async (_name, body) => {
    const response = await speak(body);
    expect(response.status).toBe(200);
    expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(44);
  });

  const unspoken: [string, object][] = [
    ["a full stop", { input: "." }],
    ["dots and a question mark, as MP3", { input: "… ?!", response_format: "mp3" }],
    ["Chinese punctuation, streamed", { input: "。、", response_format: "pcm", stream: true }],
    ["a dash, of a model that knows its length", { input: "—", model: "svc-tts2", stream: true }],
  ];
  test.each(unspoken)("punctuation alone, which is a short pause: %s", async (_name, fields) => {
    const response = await speak({ ...good, ...fields });
    expect(response.status).toBe(200);
    expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(1024);
  });

  test("accented letters, which an English voice reads without their marks", async () => {
    const spoken = async (input: string) => (await speak({ ...good, input })).bytes();
    expect(await spoken("Café, Łódź, Æsop!")).toEqual(await spoken("Cafe, Lodz, Aesop!"));
  });

  test("every format, with its media type", async () => {
    const starts = { wav: "RIFF", mp3: "\xff\xf3", flac: "fLaC", opus: "OggS", pcm: "" };
    const types = { wav: "wav", mp3: "mpeg", flac: "flac", opus: "opus", pcm: "pcm" };
    for (const [format, start] of Object.entries(starts)) {
      const response = await speak({ ...good, response_format: format });
      expect(response.headers.get("content-type")).toBe(`audio/${types[format as keyof typeof types]}`);
      const body = Buffer.from(await response.arrayBuffer());
      expect(Number(response.headers.get("content-length"))).toBe(body.length);
      expect(body.toString("latin1").startsWith(start)).toBe(true);
    }
  });

  test("speed and instructions that change the pace", async () => {
    const seconds = async (extra: object) =>
      (await (await speak({ ...good, ...extra })).arrayBuffer()).byteLength / 48_000;
    const natural = await seconds({});
    expect((await seconds({ speed: 0.5 })) / natural).toBeCloseTo(2, 0);
    expect((await seconds({ speed: 2 })) / natural).toBeCloseTo(0.5, 0);
    expect(await seconds({ instructions: "faster" })).toBeLessThan(natural);
  });
});

describe("a model with known durations", () => {
  test("streams a WAV whose header has the exact length", async () => {
    const input = "One sentence. Another, a little longer, one. And the last of them!";
    const response = await speak({ ...good, model: "svc-tts2", voice: "female-warm", input, stream: true });
    const body = Buffer.from(await response.arrayBuffer());
    expect(response.headers.get("transfer-encoding")).toBe("chunked");
    expect(body.readUInt32LE(40)).toBe(body.length - 44);
    expect(body.readUInt32LE(4)).toBe(body.length - 8);
  });
});

const SENTENCES = 100;

describe("a client that disconnects", () => {
  const long = {
    ...good,
    voice: "female-warm",
    input: "This is a rather long sentence to be said aloud. ".repeat(SENTENCES),
    response_format: "pcm",
  };

  test("during the audio stops the engine and is logged as 499", async () => {
    const left = new AbortController();
    const response = await speak({ ...long, stream: true }, { signal: left.signal });
    await response.body!.getReader().read();
    left.abort();
    await until(() => harness.logged.some(({ event, status }) => event === "request" && status === 499));
    const line = harness.logged.findLast(({ event }) => event === "request")!;
    expect(line.audioSeconds as number).toBeLessThan(200);
  });

  test("before the response stops the engine too", async () => {
    const before = harness.logged.filter(({ status }) => status === 499).length;
    using counted = countTurns(harness.parts.registry);
    const left = new AbortController();
    const answer = speak(long, { signal: left.signal }).catch(() => null);
    await until(() => counted.turns > 0);
    left.abort();
    await answer;
    await until(() => harness.logged.filter(({ status }) => status === 499).length > before);
    await until(() =>
      harness.parts.registry.loads().every(({ running, waiting }) => running + waiting === 0),
    );
    expect(counted.turns).toBeLessThan(SENTENCES);
    expect((await speak(good)).status).toBe(200);
  });

  test("a body that never ends is aborted", async () => {
    const socket = await openSocket();
    socket.write(
      `POST /v1/audio/speech HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${harness.key}\r\nContent-Length: 100\r\n\r\n{"model"`,
    );
    expect(await socket.until("validation_error")).toContain("HTTP/1.1 422");
    socket.end();
  });

  test("a body whose declared length is too large is refused unread", async () => {
    const socket = await openSocket();
    socket.write(
      `POST /v1/audio/speech HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${harness.key}\r\nContent-Length: 99999999999\r\n\r\n{`,
    );
    expect(await socket.until("validation_error")).toContain("too_long");
    socket.end();
  });
});

async function openSocket() {
  let received = "";
  const socket = await Bun.connect({
    hostname: "127.0.0.1",
    port: Number(new URL(harness.url).port),
    socket: {
      data(_socket, bytes) {
        received += bytes.toString();
      },
    },
  });
  return {
    write: (text: string) => socket.write(text),
    end: () => socket.end(),
    async until(text: string) {
      await until(() => received.includes(text));
      return received;
    },
  };
}
