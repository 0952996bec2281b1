/** Promise: no upload is answered with 5xx, silence is an empty transcript, and pages of any origin may send them. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { installedFamilies } from "../../../src/engine/families/installed.ts";
import { pcmWav } from "../../audio/pcm-wav.ts";
import { errorOf, type Harness, openHarness } from "../../harness.ts";

const isRecognized = installedFamilies().has("sphinx");
const unlessRecognition = isRecognized ? "" : " (skipped: libpocketsphinx is not installed)";
const PATH = "/v1/audio/transcriptions";

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
});
afterAll(() => harness[Symbol.asyncDispose]());

function upload(bytes: Uint8Array<ArrayBuffer>, name: string, fields: Record<string, string> = {}) {
  const body = new FormData();
  body.set("file", new Blob([bytes]), name);
  for (const [field, value] of Object.entries({ model: "svc-stt1", ...fields })) body.set(field, value);
  return harness.ask(PATH, { method: "POST", body });
}

describe("an upload", () => {
  test.each([
    ["of zero bytes", new Uint8Array(0), "audio.wav"],
    ["of 1,024 zero bytes, as VoiceInk tests a server", new Uint8Array(1024), "probe.wav"],
    ["of 1,024 zero bytes named WebM", new Uint8Array(1024), "probe.webm"],
    ["of half a header", new Uint8Array(pcmWav(0).subarray(0, 20)), "audio.wav"],
    ["of a page", new TextEncoder().encode("<!doctype html><title>Error</title>"), "audio.mp3"],
  ])("%s is refused as no audio", async (_name, bytes, name) => {
    expect(await errorOf(await upload(bytes, name))).toMatchObject({
      status: 400,
      code: "invalid_audio",
      param: "file",
    });
  });

  const silent: [string, Uint8Array<ArrayBuffer>, string][] = [
    ["two seconds", new Uint8Array(pcmWav(2)), "audio.wav"],
    ["two seconds under a wrong name", new Uint8Array(pcmWav(2)), "audio.mp3"],
    ["two seconds without a name's ending", new Uint8Array(pcmWav(2)), "blob"],
  ];
  test.skipIf(!isRecognized).each(silent)(
    `of silence is an empty text: %s${unlessRecognition}`,
    async (_name, bytes, name) => {
      const response = await upload(bytes, name);
      expect([response.status, ((await response.json()) as { text: string }).text]).toEqual([200, ""]);
    },
  );

  test("with a header only is an answer, not a failure", async () => {
    expect([200, 400]).toContain((await upload(new Uint8Array(pcmWav(0)), "audio.wav")).status);
  });
});

describe("a page of another origin", () => {
  const REQUESTED =
    "authorization, content-type, openai-organization, openai-project, x-stainless-lang, x-stainless-retry-count";

  test.each([
    ["POST", "/v1/audio/speech"],
    ["POST", PATH],
    ["POST", "/v1/audio/translations"],
    ["POST", "/v1/realtime/client_secrets"],
    ["GET", "/v1/models"],
    ["GET", "/v1/models/svc-tts1"],
    ["GET", "/v1/voices"],
    ["GET", "/v1/me"],
    ["GET", "/v1/nowhere"],
  ])("may send %s %s with the headers of stock clients, and read the error", async (method, path) => {
    const origin = "app://obsidian.md";
    const asked = { "access-control-request-method": method, "access-control-request-headers": REQUESTED };
    const preflight = await fetch(harness.url + path, { method: "OPTIONS", headers: { origin, ...asked } });
    expect([preflight.status, preflight.headers.get("access-control-allow-origin")]).toEqual([204, "*"]);
    expect(preflight.headers.get("access-control-allow-headers")).toBe(REQUESTED);
    expect(preflight.headers.get("access-control-allow-methods")).toContain(method);
    const response = await fetch(harness.url + path, { method, headers: { origin } });
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
    expect(response.headers.get("access-control-expose-headers")).toContain("x-ignored-fields");
    expect([401, 404]).toContain(response.status);
  });

  test("a page of another origin may read a method's refusal", async () => {
    const response = await fetch(`${harness.url}/v1/audio/speech`, {
      headers: { origin: "https://a.example" },
    });
    expect([response.status, response.headers.get("access-control-allow-origin")]).toEqual([405, "*"]);
  });
});
