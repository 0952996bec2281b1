/** Promise: the common mistakes of people who connect a client are answered with the cause and the remedy. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { installedFamilies } from "../../../src/engine/families/installed.ts";
import { pcmWav } from "../../audio/pcm-wav.ts";
import { errorOf, type Harness, openHarness } from "../../harness.ts";
import { type Field, form } from "./form.ts";

const families = installedFamilies();
const [recognizes, decodes] = [families.has("sphinx"), families.has("decode")];

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
});
afterAll(() => harness[Symbol.asyncDispose]());

const good = { model: "svc-tts1", voice: "male-classic", input: "Hello there." };
const SPEECH = "/v1/audio/speech";
const TRANSCRIPTIONS = "/v1/audio/transcriptions";
const JSON_TYPE = { "content-type": "application/json" };
const call =
  (path: string, init: RequestInit = {}) =>
  () =>
    harness.ask(path, init);
const post = (path: string, body: string, headers: Record<string, string> = JSON_TYPE) =>
  call(path, { method: "POST", body, headers });
const speak = (fields: object) => post(SPEECH, JSON.stringify({ ...good, ...fields }));
const authorized = (headers: Record<string, string>) => () => fetch(`${harness.url}/v1/me`, { headers });
const MODEL: Field = ["model", "svc-stt1"];
const transcribe = (...fields: Field[]) => call(TRANSCRIPTIONS, form([MODEL, ...fields]));
type Mistake = [name: string, ask: () => Promise<Response>, answer: string, message: RegExp];

const MISTAKES: Mistake[] = [
  ["no key", authorized({}), "401 missing_api_key", /^Send your API key as a header: Authorization: Bearer/],
  ["an empty key", authorized({ authorization: "Bearer " }), "401 missing_api_key", /^Send your API key/],
  [
    "the word None for a key",
    authorized({ authorization: "Bearer None" }),
    "401 missing_api_key",
    /sent the word "None" in place of a key: enter an API key in its settings/,
  ],
  [
    "a key of another service",
    authorized({ authorization: "Bearer sk-proj-abc" }),
    "401 invalid_api_key",
    /begin with sk_live_ or sk_test_\. Create one in the dashboard under API keys/,
  ],
  [
    "a key that does not exist",
    authorized({ authorization: `Bearer sk_live_${"a".repeat(40)}` }),
    "401 invalid_api_key",
    /does not exist\. Create one in the dashboard under API keys, or with "loquat keys create"/,
  ],
  [
    "the scheme Token",
    authorized({ authorization: "Token abc" }),
    "401 invalid_api_key",
    /must read: Bearer <API_KEY>/,
  ],
  [
    "x-api-key",
    authorized({ "x-api-key": "abc" }),
    "401 missing_api_key",
    /x-api-key is not read here\. Send your API key as a header: Authorization/,
  ],
  ["xi-api-key", authorized({ "xi-api-key": "abc" }), "401 missing_api_key", /xi-api-key is not read here/],
  [
    "an unknown model",
    speak({ model: "tts-9" }),
    "400 invalid_model",
    /not a TTS model\. TTS models: svc-tts1/,
  ],
  [
    "a TTS model for a transcription",
    call(
      TRANSCRIPTIONS,
      form([
        ["model", "svc-tts1"],
        ["file", pcmWav(1)],
      ]),
    ),
    "400 invalid_model",
    /svc-tts1 is not an STT model\. STT models: svc-stt1/,
  ],
  ["an unknown voice", speak({ voice: "nobody" }), "404 invalid_voice", /svc-tts1 speaks with female-warm/],
  [
    "a base URL without /v1",
    post("/audio/speech", "{}"),
    "404 not_found",
    /nothing at POST \/audio\/speech\. Did you mean \/v1\/audio\/speech\? A base URL ends in one \/v1/,
  ],
  [
    "a base URL with /v1 twice",
    post("/v1/v1/audio/speech", "{}"),
    "404 not_found",
    /Did you mean \/v1\/audio\/speech/,
  ],
  ["another prefix", call("/openai/v1/models"), "404 not_found", /Did you mean \/v1\/models/],
  [
    "a name in the singular",
    post("/v1/audio/transcription", ""),
    "404 not_found",
    /Did you mean \/v1\/audio\/transc/,
  ],
  ["an API that is not offered", post("/v1/chat/completions", "{}"), "404 not_found", /See \/docs/],
  [
    "GET of a POST route",
    call(SPEECH),
    "405 method_not_allowed",
    /\/v1\/audio\/speech does not take GET\. It takes POST, OPTIONS/,
  ],
  [
    "translation where nothing translates",
    call("/v1/audio/translations", form([MODEL, ["file", pcmWav(1)]])),
    "400 translation_not_supported",
    /does not translate speech to English\. The operator .* "loquat models pull whisper-base"/,
  ],
  [
    "a form instead of JSON",
    call(SPEECH, form([["model", "svc-tts1"]])),
    "422 validation_error",
    /must be JSON, with Content-Type: application\/json, not multipart\/form-data/,
  ],
  [
    "fields of a URL instead of JSON",
    post(SPEECH, "model=svc-tts1", { "content-type": "application/x-www-form-urlencoded" }),
    "422 validation_error",
    /must be JSON, .* not application\/x-www-form-urlencoded/,
  ],
  [
    "JSON without a recording",
    post(TRANSCRIPTIONS, '{"model":"svc-stt1"}'),
    "422 validation_error",
    /has no recording: send a form with a file, or base64 in input_audio\.data/,
  ],
  [
    "a text as a recording",
    post(TRANSCRIPTIONS, "x", { "content-type": "text/plain" }),
    "422 validation_error",
    /must be multipart\/form-data/,
  ],
  [
    "broken JSON",
    post(SPEECH, '{"input":"a",}'),
    "422 validation_error",
    /is not valid JSON at character 14\./,
  ],
  ["a missing field", speak({ model: undefined }), "422 validation_error", /^model is required\.$/],
  [
    "another name of a field",
    speak({ input: undefined, text: "a" }),
    "422 validation_error",
    /^input is required \(text is not a field of this request\)\.$/,
  ],
  [
    "9,000 characters",
    speak({ input: "a".repeat(9000) }),
    "422 validation_error",
    /^input must have at most 8000 characters, not 9000\.$/,
  ],
  ["an empty input", speak({ input: "" }), "422 validation_error", /^input is empty\.$/],
  ["an input of white space", speak({ input: " \n" }), "422 validation_error", /^input is empty\.$/],
  ["speed 5", speak({ speed: 5 }), "422 validation_error", /^speed must be from 0\.25 to 4, not 5\.$/],
  ["speed as text", speak({ speed: "1" }), "422 validation_error", /^speed must be a number\.$/],
  [
    "another script",
    speak({ input: "Привет" }),
    "422 unpronounceable_input",
    /this voice reads Latin letters and numbers/,
  ],
  [
    "speed on svc-tts2",
    speak({ model: "svc-tts2", speed: 1.2 }),
    "400 unsupported_speed",
    /speed 1\.0 only, not 1\.2/,
  ],
  [
    "stream with the default format",
    speak({ stream: true }),
    "400 unsupported_response_format",
    /streams pcm, not wav/,
  ],
  [
    "an unknown format",
    speak({ response_format: "wma" }),
    "400 unsupported_response_format",
    /wav, mp3, flac, pcm, opus/,
  ],
  ["an empty file", transcribe(["file", new Uint8Array(0)]), "400 invalid_audio", /^The file is empty\.$/],
  ["27 MB", transcribe(["file", new Uint8Array(27e6)]), "400 file_too_large", /larger than 25 MB/],
  ...(decodes
    ? ([
        [
          "a text file",
          transcribe(["file", Buffer.from("# Readme\n")]),
          "400 invalid_audio",
          /WAV, MP3, FLAC, Ogg, Opus, M4A/,
        ],
      ] satisfies Mistake[])
    : []),
  ...(recognizes
    ? ([
        ["700 seconds", transcribe(["file", pcmWav(700)]), "400 audio_too_long", /longer than 600 seconds/],
        [
          "German for an English model",
          transcribe(["file", pcmWav(1)], ["language", "de"]),
          "400 unsupported_language",
          /transcribes en, not de\. The operator .* can add de with "loquat models pull whisper-base"/,
        ],
      ] satisfies Mistake[])
    : []),
];

test.each(MISTAKES)("%s is answered with the cause and the remedy", async (_name, ask, answer, message) => {
  const { status, code, message: sent } = await errorOf(await ask());
  expect(`${status} ${code}`).toBe(answer);
  expect(sent).toMatch(message);
});

describe("a method that a path does not take", () => {
  test.each([
    ["GET", "/v1/audio/speech", "POST, OPTIONS"],
    ["DELETE", "/v1/models", "GET, HEAD, OPTIONS"],
    ["PUT", "/v1/models/svc-tts1", "GET, HEAD, OPTIONS"],
    ["GET", "/v1/audio/transcriptions", "POST, OPTIONS"],
    ["HEAD", "/v1/audio/speech", "POST, OPTIONS"],
    ["POST", "/healthz", "GET, HEAD, OPTIONS"],
    ["POST", "/orgs/a/usage", "GET, HEAD, OPTIONS"],
  ])("%s %s is 405 with the methods in Allow: %s", async (method, path, allow) => {
    const response = await harness.ask(path, { method });
    expect([response.status, response.headers.get("allow")]).toEqual([405, allow]);
    expect(response.headers.get("x-request-id")).toMatch(/^req_/);
  });

  test.each([
    ["/v1/models", "GET, HEAD, OPTIONS"],
    ["/healthz", "GET, HEAD, OPTIONS"],
    ["/v1/audio/speech", "POST, OPTIONS"],
  ])("OPTIONS %s lists %s", async (path, allow) => {
    const response = await fetch(harness.url + path, { method: "OPTIONS" });
    expect([response.status, response.headers.get("allow")]).toEqual([204, allow]);
  });

  test("HEAD of a GET route has its headers and no body", async () => {
    const response = await harness.ask("/v1/models", { method: "HEAD" });
    expect([response.status, await response.text()]).toEqual([200, ""]);
    expect(response.headers.get("content-type")).toStartWith("application/json");
  });
});

describe("an unknown address", () => {
  const browse = (path: string) =>
    fetch(harness.url + path, { headers: { accept: "text/html,application/xhtml+xml,*/*;q=0.8" } });

  test.each(["/nowhere", "/docs/nothing", "/models/<script>"])("%s is a page in a browser", async (path) => {
    const response = await browse(path);
    const page = await response.text();
    expect([response.status, response.headers.get("content-type")]).toEqual([
      404,
      "text/html; charset=utf-8",
    ]);
    expect(page).toContain("<h1>Page not found</h1>");
    expect(page).not.toContain("<script");
  });

  test.each(["/v1/nowhere", "/api/nowhere"])("%s is JSON in a browser too", async (path) => {
    expect(await errorOf(await browse(path))).toMatchObject({ status: 404, code: "not_found" });
  });
});

describe("a prepaid organization", () => {
  test("is refused with the time until the limit of requests allows another, and whom to ask for more", async () => {
    await using free = await openHarness({ free: true });
    const models = [...Array(21)].map(() => free.ask(SPEECH, { method: "POST", body: "{}" }));
    const last = (await Promise.all(models)).find(({ status }) => status === 429)!;
    expect((await errorOf(last)).message).toMatch(
      /^Your organization may (use 20 requests a minute\. Try again in 3 seconds|have 2 requests at once\. Wait for one to finish)\. Ask the operator of this server for higher limits\.$/,
    );
  });
});
