/**
 * Promise: with Pocket TTS installed, speech is sent before its sentence is made, in a preset voice and in a voice of a
 * recording, and nothing else of the server changes.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TTS_SAMPLE_RATE } from "../../../../src/audio/rates.ts";
import type { Package } from "../../../../src/models/packages/package.ts";
import { pocketContents } from "../../../../testing/packages/families/pocket.ts";
import { FRAME, recordingOf, wavOf } from "../../../../testing/packages/families/pocket-files.ts";
import { packageOf, storePackage } from "../../../../testing/packages/model-store.ts";
import { type Harness, openHarness } from "../../../harness.ts";
import { voiceForm } from "./stand-in.ts";

const weights = mkdtempSync(join(tmpdir(), "loquat-weights-"));
const TEXT = "It was the best of times and it was the worst of times.";
const VOICE: NonNullable<Package["voices"]>[number] = {
  ...{ id: "en-anna", name: "Anna", language: "en", locale: "en-GB", gender: "female" },
  ...{ speaker: "anna", aliases: [] },
  metadata: { style: null, age: null, description: null, use_cases: [] },
};

let server: Harness;
beforeAll(async () => {
  const contents = {
    ...pocketContents({ positions: 200, window: 16 }),
    "voice-anna": { path: "voices/anna.wav", bytes: wavOf(recordingOf(3)) },
  };
  const options = { temperature: 0.7, steps: 1 };
  storePackage(
    weights,
    packageOf("pocket-tts-en", "pocket", { options, contents, offers: { voices: [VOICE] } }),
    contents,
  );
  server = await openHarness({ environment: { LOQUAT_WEIGHTS: weights, LOQUAT_THREADS: "2" } });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  rmSync(weights, { recursive: true, force: true });
});

const speak = (body: object) =>
  server.ask("/v1/audio/speech", {
    method: "POST",
    body: JSON.stringify({ model: "svc-tts1", input: TEXT, response_format: "pcm", ...body }),
  });

const bytesOf = async (response: Response) => {
  expect(response.status).toBe(200);
  return new Uint8Array(await response.arrayBuffer());
};

test("a preset voice is sent in parts, of which the first is a few frames; together they are the whole", async () => {
  const whole = await bytesOf(await speak({ voice: "en-anna" }));
  expect(whole.length / 2 / TTS_SAMPLE_RATE).toBeGreaterThan(0.8);
  const streamed = await speak({ voice: "en-anna", stream: true });
  const parts: number[] = [];
  for await (const part of streamed.body!) parts.push(part.length);
  expect(parts.length).toBeGreaterThan(1);
  expect(parts[0]!).toBeLessThan(0.75 * whole.length); // parts that wait for their reader arrive together
  expect(parts.reduce((sum, length) => sum + length, 0)).toBeGreaterThan(0.9 * whole.length);
});

test("a voice of a recording is made, listed, spoken with and deleted", async () => {
  const preset = await bytesOf(await speak({ voice: "en-anna" }));
  const made = await server.ask("/v1/audio/voices", voiceForm());
  expect(made.status).toBe(200);
  const { id } = (await made.json()) as { id: string };
  const cloned = await bytesOf(await speak({ voice: id, stream: true }));
  expect(cloned.length).toBeGreaterThan(FRAME);
  expect(Buffer.compare(cloned, preset)).not.toBe(0);
  expect((await server.ask(`/v1/audio/voices/${id}`, { method: "DELETE" })).status).toBe(200);
  expect((await speak({ voice: id })).status).toBe(404);
});

test("word times are refused, and another pace is spoken", async () => {
  const timed = await speak({ voice: "en-anna", stream_format: "sse", return_timing: true });
  expect(await timed.json()).toMatchObject({ error: { code: "word_times_not_supported" } });
  const [slow, fast] = [
    await bytesOf(await speak({ voice: "en-anna", speed: 0.5 })),
    await bytesOf(await speak({ voice: "en-anna", speed: 2 })),
  ];
  expect(slow.length / fast.length).toBeGreaterThan(3);
});
