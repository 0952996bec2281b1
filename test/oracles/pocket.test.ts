/**
 * Promise: Pocket TTS gives the samples of sherpa-onnx on the same graphs, for one caller and for four at once: tokens, voice,
 * text, frames, end and decoder. Without noise, because each has its own.
 *
 * They group frames differently for the decoder, whose states make it equal, and find the same end.
 */

import { afterAll, expect, test } from "bun:test";
import { samplesOf } from "../../src/engine/protocol/synthesis.ts";
import type { VoiceEncodingTask } from "../../src/engine/protocol/voice-encoding.ts";
import { soleClaim } from "../../src/engine/runner.ts";
import { oldPocketContents } from "../../testing/packages/families/pocket.ts";
import { recordingOf } from "../../testing/packages/families/pocket-files.ts";
import { openTestStore } from "../../testing/packages/model-store.ts";
import { trimEdges } from "../../workers/tts/trim-silence.ts";
import { pocketConfig, sherpa, unlessSherpa } from "./sherpa.ts";

const store = openTestStore();
afterAll(() => store[Symbol.asyncDispose]());

const RATE = 24_000;
const STEPS = 3;
/** One chunk each, of at least five words, and written as the model reads them. */
const TEXTS = ["Hello there, how are you today?", "Zürich 2026: naïve façades, and a b c!"];

test.skipIf(!sherpa)(`speech equals that of sherpa-onnx${unlessSherpa}`, async () => {
  const contents = oldPocketContents({ positions: 160, window: 16 }); // less to copy
  store.add("pocket", "pocket", { options: { steps: STEPS, temperature: 0 }, contents });
  const tts = new sherpa!.OfflineTts(pocketConfig(store.filesOf("pocket"), 1));
  const recording = recordingOf(3, 9);
  const extra = { temperature: 0, frames_after_eos: 3, max_frames: 200, seed: 1 };
  const theirs = TEXTS.map((text) => {
    const generationConfig = new sherpa!.GenerationConfig({
      referenceAudio: recording,
      referenceSampleRate: RATE,
      numSteps: STEPS,
      silenceScale: 1,
      extra,
    });
    const { samples, sampleRate } = tts.generate({ text, generationConfig });
    expect(sampleRate).toBe(RATE);
    return trimEdges(samples, RATE).samples;
  });
  const engine = store.registry.engine("pocket");
  const encoding: VoiceEncodingTask = { kind: "voice-encoding", samples: recording.slice() };
  const voice = await engine.run(encoding, soleClaim());
  const compare = async (index: number) => {
    const style = { id: "test", ...voice };
    const task = {
      text: TEXTS[index]!,
      language: "en",
      speaker: "",
      style,
      speed: 1,
      kind: "synthesis" as const,
      instructions: "",
    };
    const ours = await engine.run(task, soleClaim()).then(samplesOf);
    expect(ours.length).toBe(theirs[index]!.length);
    expect(ours.length).toBeGreaterThan(RATE / 2);
    const worst = ours.reduce(
      (most, sample, at) => Math.max(most, Math.abs(sample - theirs[index]![at]!)),
      0,
    );
    expect(worst).toBeLessThan(1e-4);
  };
  for (const index of TEXTS.keys()) await compare(index);
  await Promise.all(Array.from({ length: 4 }, (_, caller) => compare(caller % TEXTS.length)));
});
