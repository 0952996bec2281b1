/** Promise: uploads of all common clients are read, and every invalid one gets its documented error. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { installedFamilies } from "../../../src/engine/families/installed.ts";
import { hoursOfSilence, notAudio, pointers } from "../../audio/hostile.ts";
import { errorOf, type Harness, openHarness } from "../../harness.ts";
import { until } from "../../until.ts";
import { type Field, form } from "./form.ts";

const families = installedFamilies();
const hears = families.has("sphinx");
const decodes = families.has("decode");
const unlessRecognition = hears ? "" : " (skipped: libpocketsphinx is not installed)";

let harness: Harness;
let wav: Uint8Array;

beforeAll(async () => {
  harness = await openHarness({ timeouts: { idleMs: 300, totalMs: 1500 } });
  const response = await harness.ask("/v1/audio/speech", {
    method: "POST",
    body: JSON.stringify({
      model: "svc-tts1",
      voice: "male-deep",
      input: "We are at the old house by the river.",
    }),
  });
  wav = await response.bytes();
});
afterAll(() => harness[Symbol.asyncDispose]());

const send = (init: RequestInit) => harness.ask("/v1/audio/transcriptions", init);
const model: Field = ["model", "svc-stt1"];
const OPEN_FILE = '\r\nContent-Disposition: form-data; name="file"; filename="blob"\r\n\r\n';

describe("a transcription request is refused for", () => {
  const file: Field = ["file", new Uint8Array(0)];
  const withWav =
    (...fields: Field[]): (() => RequestInit) =>
    () =>
      form([model, ["file", wav], ...fields]);
  type Refusal = [name: string, init: () => RequestInit, status: number, code: string, param: string | null];
  const refusals: Refusal[] = [
    [
      "JSON instead of a form",
      () => ({ method: "POST", body: "{}", headers: { "content-type": "application/json" } }),
      422,
      "validation_error",
      null,
    ],
    ["no content type", () => ({ method: "POST", body: new Uint8Array(4) }), 422, "validation_error", null],
    [
      "a form without a boundary",
      () => ({ ...form([model]), headers: { "content-type": "multipart/form-data" } }),
      422,
      "validation_error",
      null,
    ],
    [
      "a boundary that never comes",
      () => ({ ...form([model]), headers: { "content-type": "multipart/form-data; boundary=other" } }),
      422,
      "validation_error",
      null,
    ],
    [
      "an empty form body",
      () => ({ method: "POST", body: "", headers: { "content-type": "multipart/form-data; boundary=x" } }),
      422,
      "validation_error",
      null,
    ],
    ["no file", () => form([model]), 422, "validation_error", "file"],
    ["a file that is text", () => form([model, ["file", "abc"]]), 422, "validation_error", "file"],
    ["no model", () => form([["file", wav]]), 422, "validation_error", "model"],
    ["temperature 2", withWav(["temperature", "2"]), 422, "validation_error", "temperature"],
    ["temperature warm", withWav(["temperature", "warm"]), 422, "validation_error", "temperature"],
    ["stream maybe", withWav(["stream", "maybe"]), 422, "validation_error", "stream"],
    ["response_format xml", withWav(["response_format", "xml"]), 422, "validation_error", "response_format"],
    [
      "granularity letter",
      withWav(["timestamp_granularities[]", "letter"]),
      422,
      "validation_error",
      "timestamp_granularities.0",
    ],
    ["include all", withWav(["include[]", "all"]), 422, "validation_error", "include.0"],
    [
      "chunking sometimes",
      withWav(["chunking_strategy", "sometimes"]),
      422,
      "validation_error",
      "chunking_strategy",
    ],
    ["a prompt of 4,001", withWav(["prompt", "x".repeat(4001)]), 422, "validation_error", "prompt"],
    [
      "a TTS model",
      () =>
        form([
          ["model", "svc-tts1"],
          ["file", wav],
        ]),
      400,
      "invalid_model",
      "model",
    ],
    [
      "another vendor's model",
      () =>
        form([
          ["model", "whisper-1"],
          ["file", wav],
        ]),
      400,
      "invalid_model",
      "model",
    ],
    ["an empty file", () => form([model, file]), 400, "invalid_audio", "file"],
    [
      "a file over 25 MB",
      () => form([model, ["file", new Uint8Array(25 * 1024 * 1024 + 1)]]),
      400,
      "file_too_large",
      "file",
    ],
    [
      "a body far over 25 MB",
      () => form([model, ["file", new Uint8Array(30 * 1024 * 1024)]]),
      400,
      "file_too_large",
      "file",
    ],
  ];
  if (hears) {
    refusals.push(
      ["Klingon", withWav(["language", "tlh"]), 400, "unsupported_language", "language"],
      [
        "speakers told apart",
        withWav(["response_format", "diarized_json"]),
        400,
        "unsupported_response_format",
        "response_format",
      ],
    );
  }
  test.each(refusals)("%s", async (_name, init, status, code, param) => {
    const response = await send(init());
    const error = await errorOf(response);
    expect(error).toMatchObject({ status, code, param });
    expect(error.request_id).toBe(response.headers.get("x-request-id")!);
  });

  test("an upload that stops arriving is refused", async () => {
    const { body, headers } = form([model, ["file", wav]]);
    const half = new ReadableStream({
      start: (controller) => controller.enqueue(body.subarray(0, 1000)),
    });
    const answer = await send({ method: "POST", headers, body: half });
    expect(await errorOf(answer)).toMatchObject({ status: 422, code: "validation_error" });
  });

  test("a chunked body without a length over 25 MB", async () => {
    let sent = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 1024 * 1024;
        controller.enqueue(
          sent === 1024 * 1024
            ? Buffer.from(form([model], { end: OPEN_FILE }).body)
            : new Uint8Array(1024 * 1024),
        );
        if (sent > 400 * 1024 * 1024) controller.close();
      },
    });
    const headers = { "content-type": "multipart/form-data; boundary=x-boundary" };
    const answer = await send({ method: "POST", body, headers, duplex: "half" } as RequestInit).then(
      errorOf,
      () => null,
    );
    if (answer) expect(answer).toMatchObject({ status: 400, code: "file_too_large" });
    expect(sent).toBeLessThan(200 * 1024 * 1024);
  });

  const unlessDecoding = decodes ? "" : " (skipped: node-av is not installed)";
  test.skipIf(!decodes || !hears)(
    `files that are not audio, or that refer to other files${unlessDecoding}`,
    async () => {
      const crafted = { ...notAudio(), ...pointers("/etc/hostname", "http://127.0.0.1:9") };
      for (const [name, bytes] of Object.entries(crafted)) {
        const { status, code } = await errorOf(await send(form([model, ["file", bytes]])));
        expect(`${name}: ${status} ${code}`).toBe(`${name}: 400 invalid_audio`);
      }
    },
  );

  test.skipIf(!decodes || !hears)(`hours of silence in a small file${unlessDecoding}`, async () => {
    const { code } = await errorOf(await send(form([model, ["file", hoursOfSilence(3)]])));
    expect(code).toBe("audio_too_long");
  });
});

describe.skipIf(!hears)(`a transcription request is accepted with${unlessRecognition}`, () => {
  const wavPart = (): Field => ["file", wav];
  const forms: [string, () => RequestInit][] = [
    ["the file first", () => form([wavPart(), model])],
    ["the file last", () => form([model, wavPart()])],
    ["a quoted boundary", () => form([model, wavPart()], { quoted: true })],
    ["a boundary with dashes", () => form([model, wavPart()], { boundary: "----WebKitFormBoundaryAbC" })],
    [
      "empty and null fields",
      () => form([model, wavPart(), ["language", ""], ["prompt", "null"], ["temperature", ""]]),
    ],
    [
      "numbers and booleans as text",
      () => form([model, wavPart(), ["temperature", "0"], ["stream", "False"]]),
    ],
    ["a locale for a language", () => form([model, wavPart(), ["language", "en-GB"]])],
    ["unknown fields", () => form([model, wavPart(), ["client", "me"], ["languages[]", "en"]])],
    [
      "flattened chunking",
      () =>
        form([
          model,
          wavPart(),
          ["chunking_strategy[type]", "server_vad"],
          ["chunking_strategy[threshold]", "0.5"],
        ]),
    ],
    [
      "chunking as JSON",
      () => form([model, wavPart(), ["chunking_strategy", '{"type":"server_vad","threshold":0.4}']]),
    ],
    ["chunking auto", () => form([model, wavPart(), ["chunking_strategy", "auto"]])],
  ];
  test.each(forms)("%s", async (_name, init) => {
    const response = await send(init());
    expect(response.status).toBe(200);
    expect(((await response.json()) as { text: string }).text).toContain("house");
  });

  const granularities: [string, Field[]][] = [
    [
      "brackets",
      [
        ["timestamp_granularities[]", "word"],
        ["timestamp_granularities[]", "segment"],
      ],
    ],
    [
      "indices",
      [
        ["timestamp_granularities[0]", "word"],
        ["timestamp_granularities[1]", "segment"],
      ],
    ],
    [
      "repetition",
      [
        ["timestamp_granularities", "word"],
        ["timestamp_granularities", "segment"],
      ],
    ],
    ["JSON", [["timestamp_granularities", '["word","segment"]']]],
  ];
  test.each(granularities)("a list sent as %s", async (_name, fields) => {
    const response = await send(form([model, wavPart(), ["response_format", "verbose_json"], ...fields]));
    expect(Object.keys((await response.json()) as object)).toEqual(
      expect.arrayContaining(["words", "segments"]),
    );
  });

  test("silence, as an empty transcript", async () => {
    const silence = Buffer.concat([wav.subarray(0, 44), new Uint8Array(96_000)]);
    const response = await send(form([model, ["file", silence], ["response_format", "verbose_json"]]));
    expect(await response.json()).toMatchObject({ text: "", segments: [], languages: [] });
  });

  test("a client that disconnects, which is logged as 499", async () => {
    const pcm = Buffer.concat(Array.from({ length: 40 }, () => wav.subarray(44)));
    const left = new AbortController();
    const long = Buffer.concat([wav.subarray(0, 44), pcm]);
    long.writeUInt32LE(0, 40); // a length that is not written yet
    const response = await send({
      ...form([model, ["file", long], ["stream", "true"]]),
      signal: left.signal,
    });
    await response.body!.getReader().read();
    left.abort();
    await until(() => harness.logged.some(({ event, status }) => event === "request" && status === 499));
    const next = await send(form([model, wavPart()]));
    expect(next.status).toBe(200);
  });
});
