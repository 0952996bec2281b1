/**
 * Promise: Supertonic gives the samples of sherpa-onnx, for one caller and for eight at once: text preparation, durations,
 * steps and vocoder.
 *
 * The estimator of these models ignores its noise, so that the result depends on the text alone.
 */

import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TTS_SAMPLE_RATE } from "../../src/audio/rates.ts";
import { resample } from "../../src/audio/resample/resample.ts";
import { samplesOf } from "../../src/engine/protocol/synthesis.ts";
import { soleClaim } from "../../src/engine/runner.ts";
import { SUPERTONIC_TABLE, supertonicContents } from "../../testing/packages/families/voices.ts";
import { openTestStore } from "../../testing/packages/model-store.ts";
import { sherpa, unlessSherpa } from "./sherpa.ts";

const folder = mkdtempSync(join(tmpdir(), "loquat-supertonic-"));
const store = openTestStore();
afterAll(async () => {
  await store[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

const STEPS = 3;
const TEXTS: [text: string, language: string][] = [
  ["Hello there, how are you today?", "en"],
  ["Grüße aus Köln", "de"],
  ["mail me @ home e.g., now — “please”", "en"],
  ["¿Qué tal?", "es"],
];

/** One voice as sherpa keeps it: the sizes of both tensors, then their values. */
function voiceOf(json: string): Uint8Array {
  const { style_ttl, style_dp } = JSON.parse(json);
  const sizes = BigInt64Array.from([...style_ttl.dims, ...style_dp.dims], BigInt);
  const values = Float32Array.from([...style_ttl.data, ...style_dp.data].flat(2));
  return Buffer.concat([new Uint8Array(sizes.buffer), new Uint8Array(values.buffer)]);
}

test.skipIf(!sherpa)(`speech equals that of sherpa-onnx${unlessSherpa}`, async () => {
  const contents = supertonicContents();
  store.add("supertonic-3", "supertonic", { options: { steps: STEPS, pace: 1 }, contents });
  const file = (name: string, bytes: Uint8Array | string) => {
    writeFileSync(join(folder, name), bytes);
    return join(folder, name);
  };
  const tts = new sherpa!.OfflineTts({
    model: {
      supertonic: {
        durationPredictor: file("dp.onnx", contents.durations!.bytes),
        textEncoder: file("text.onnx", contents.encoder!.bytes),
        vectorEstimator: file("vector.onnx", contents.estimator!.bytes),
        vocoder: file("vocoder.onnx", contents.vocoder!.bytes),
        ttsJson: file("tts.json", contents.settings!.bytes),
        unicodeIndexer: file("indexer.bin", new Uint8Array(Int32Array.from(SUPERTONIC_TABLE).buffer)),
        voiceStyle: file("voice.bin", voiceOf(contents["voice-F1"]!.bytes as string)),
      },
      numThreads: 1,
      provider: "cpu",
    },
    maxNumSentences: 1,
  });
  const theirs = TEXTS.map(([text, lang]) => {
    const generationConfig = new sherpa!.GenerationConfig({
      sid: 0,
      speed: 1,
      numSteps: STEPS,
      extra: { lang },
    });
    const { samples, sampleRate } = tts.generate({ text, generationConfig });
    expect(sampleRate).toBe(44_100);
    const length = Math.round((samples.length * TTS_SAMPLE_RATE) / sampleRate);
    return { length, samples: resample(samples, sampleRate, TTS_SAMPLE_RATE) };
  });
  const compare = async (index: number) => {
    const [text, language] = TEXTS[index]!;
    const task = { text, language, speaker: "F1", speed: 1, kind: "synthesis" as const, instructions: "" };
    const ask = (more: object) =>
      store.registry.engine("supertonic-3").run({ ...task, ...more }, soleClaim());
    const length = await ask({ length: "measure" });
    expect(length).toBe(theirs[index]!.length);
    const ours = samplesOf(await ask({ length }));
    const worst = ours
      .subarray(200, -200)
      .reduce((most, sample, at) => Math.max(most, Math.abs(sample - theirs[index]!.samples[at + 200]!)), 0);
    expect(worst).toBeLessThan(1e-4);
  };
  for (const index of TEXTS.keys()) await compare(index);
  await Promise.all(Array.from({ length: 8 }, (_, caller) => compare(caller % TEXTS.length)));
});
