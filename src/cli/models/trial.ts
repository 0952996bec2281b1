/** One run of a package's engine, as the server would start it. A wrong export is refused by name when its graph opens. */
import { ASR_SAMPLE_RATE, TTS_SAMPLE_RATE } from "../../audio/rates.ts";
import { readConfig } from "../../config.ts";
import { soleClaim } from "../../engine/claim.ts";
import { type FamilyTask, familyOf } from "../../engine/families/families.ts";
import type { SynthesisTask } from "../../engine/protocol/synthesis.ts";
import { type Engine, openRegistry } from "../../engine/registry.ts";
import type { Package } from "../../models/package.ts";
import { type Installed, openModelStore } from "../../models/store/model-store.ts";
import { engineSpecs } from "../../server/engine-specs.ts";
import { planSpeech } from "../../speech/plan.ts";
import { synthesize } from "../../speech/synthesize.ts";
import { recognize } from "../../transcription/recognize.ts";

export type Trial = { seconds: number; audioSeconds: number; firstSeconds: number };

const TEXT =
  "The quick brown fox jumps over the lazy dog. It was a bright cold day in April, and the clocks were striking thirteen.";
const TONE_SECONDS = 10;

/** By what a family does. The engines of other families run only as parts of these. */
const TRIALS: Partial<Record<FamilyTask, (engine: Engine, installed: Package) => Promise<Trial>>> = {
  synthesis: synthesizeOnce,
  recognition: recognizeOnce,
  "streaming-recognition": recognizeOnce,
};

/** Null: packages of this family are used by other engines. */
export async function runTrial({ package: installed }: Installed): Promise<Trial | null> {
  const run = TRIALS[familyOf(installed.family).task];
  if (!run) return null;
  const config = readConfig();
  await using registry = openRegistry(engineSpecs(config, openModelStore(config.models.weights)));
  return await run(registry.engine(installed.name), installed);
}

async function synthesizeOnce(engine: Engine, { name, files }: Package): Promise<Trial> {
  const speaker = files.find(({ role }) => role.startsWith("voice-"))?.role.slice("voice-".length) ?? "0";
  const task: SynthesisTask = { text: TEXT, speaker, language: "en-US", speed: 1, instructions: "" };
  await engine.run({ ...task, text: "Ready." }, soleClaim());
  const request = { ...task, engine: name, claim: soleClaim() };
  const begun = performance.now();
  let firstSeconds = 0;
  let samples = 0;
  for await (const chunk of synthesize(engine, request, planSpeech(TEXT, task.language))) {
    firstSeconds ||= (performance.now() - begun) / 1000;
    samples += chunk.length;
  }
  if (samples === 0) throw new Error("the engine produced no audio");
  return {
    seconds: (performance.now() - begun) / 1000,
    audioSeconds: samples / TTS_SAMPLE_RATE,
    firstSeconds,
  };
}

/** A modulated tone: the text does not matter, but the whole recording passes through the model. */
async function recognizeOnce(engine: Engine): Promise<Trial> {
  const tone = Float32Array.from(
    { length: TONE_SECONDS * ASR_SAMPLE_RATE },
    (_, index) => 0.1 * Math.sin(index / 9) * Math.sin(index / 3000),
  );
  const recognizeAll = (samples: Float32Array) =>
    Array.fromAsync(
      recognize(engine, {
        samples,
        spans: [{ start: 0, end: samples.length }],
        language: "en",
        prompt: "",
        claim: soleClaim(),
      }),
    );
  await recognizeAll(tone.slice(0, ASR_SAMPLE_RATE));
  const begun = performance.now();
  await recognizeAll(tone.slice());
  const seconds = (performance.now() - begun) / 1000;
  return { seconds, audioSeconds: TONE_SECONDS, firstSeconds: seconds };
}
