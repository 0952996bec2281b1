/** Promise: a recording in JSON is transcribed like one in a form, in the same bounded memory, or refused with the cause. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { installedFamilies } from "../../../src/engine/families/installed.ts";
import { errorOf, type Harness, openHarness } from "../../harness.ts";
import { form } from "./form.ts";

const isRecognized = installedFamilies().has("sphinx");
const unlessRecognition = isRecognized ? "" : " (skipped: libpocketsphinx is not installed)";

let harness: Harness;
let wav: Buffer;
beforeAll(async () => {
  harness = await openHarness();
  const spoken = await harness.ask("/v1/audio/speech", {
    method: "POST",
    body: JSON.stringify({
      model: "svc-tts1",
      voice: "male-deep",
      input: "We are at the old house by the river.",
    }),
  });
  wav = Buffer.from(await spoken.arrayBuffer());
});
afterAll(() => harness[Symbol.asyncDispose]());

const textOf = async (answer: Promise<Response>) => {
  const response = await answer;
  expect(response.status).toBe(200);
  return ((await response.json()) as { text: string }).text;
};

describe("a recording in JSON", () => {
  const send = (body: unknown, init: RequestInit = {}) =>
    harness.ask("/v1/audio/transcriptions", {
      method: "POST",
      headers: { "content-type": "application/json; charset=utf-8" },
      body: typeof body === "string" || body instanceof ReadableStream ? body : JSON.stringify(body),
      ...init,
    });
  const audio = (bytes: Uint8Array = wav) => ({
    model: "svc-stt1",
    input_audio: { data: Buffer.from(bytes).toString("base64"), format: "wav" },
  });

  test.skipIf(!isRecognized)(`has the transcript that it has in a form${unlessRecognition}`, async () => {
    const asForm = form([
      ["model", "svc-stt1"],
      ["file", wav],
    ]);
    const text = await textOf(harness.ask("/v1/audio/transcriptions", asForm));
    expect(text).toContain("house");
    const { model, input_audio } = audio();
    const escaped = JSON.stringify(audio()).replaceAll("/", "\\/").replaceAll("+", "\\u002B");
    for (const body of [audio(), { input_audio, language: "en", prompt: null, model }, escaped])
      expect(await textOf(send(body))).toBe(text);
  });

  test.skipIf(!isRecognized)(`is read in chunks of any size${unlessRecognition}`, async () => {
    const bytes = Buffer.from(JSON.stringify({ ...audio(), language: "en" }));
    let [at, size] = [0, 1];
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        controller.enqueue(bytes.subarray(at, at + size));
        at += size;
        size = (size * 7) % 5003;
        if (at >= bytes.length) controller.close();
      },
    });
    expect(await textOf(send(body, { duplex: "half" } as RequestInit))).toContain("house");
  });

  const LONG = "A".repeat(40_000);
  test.each([
    ["nothing", "", "422 validation_error"],
    ["a list", "[]", "422 validation_error"],
    ["no recording", { model: "svc-stt1" }, "422 validation_error"],
    ["a recording that is a number", { model: "svc-stt1", input_audio: { data: 1 } }, "422 validation_error"],
    ["no base64", { model: "svc-stt1", input_audio: { data: "?" } }, "422 validation_error"],
    ["letters beyond base64", { model: "svc-stt1", input_audio: { data: "ŁŁŁŁ" } }, "422 validation_error"],
    [
      "no base64, after much of it",
      { model: "svc-stt1", input_audio: { data: `${LONG}!AAA` } },
      "422 validation_error",
    ],
    [
      "padding within",
      { model: "svc-stt1", input_audio: { data: `${LONG}AA==AAAA` } },
      "422 validation_error",
    ],
    ["a long string elsewhere", { model: LONG, input_audio: { data: "" } }, "422 validation_error"],
    [
      "two long strings",
      { prompt: LONG, model: "svc-stt1", input_audio: { data: LONG } },
      "422 validation_error",
    ],
    ["an open string", `{"model":"svc-stt1","input_audio":{"data":"${LONG}`, "422 validation_error"],
    ["no model", { input_audio: { data: "AAAA" } }, "422 validation_error"],
    ["an empty recording", { model: "svc-stt1", input_audio: { data: "" } }, "400 invalid_audio"],
    ["no audio", { model: "svc-stt1", input_audio: { data: LONG } }, "400 invalid_audio"],
    ["over 25 MB", { model: "svc-stt1", input_audio: { data: "A".repeat(35e6) } }, "400 file_too_large"],
  ])("of %s is refused", async (_name, body, answer) => {
    const { status, code } = await errorOf(await send(body));
    expect(`${status} ${code}`).toBe(answer);
    expect(harness.parts.budget.heldBytes()).toBe(0);
  });
});
