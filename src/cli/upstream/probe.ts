/**
 * What the models of an upstream do, compared with what its preset says: a few requests to each, as the server would send
 * them. Speech is judged by its length and by when it arrives, transcription by a sentence that is spoken here, language
 * models by when they write and what they tell.
 */

import { ASR_SAMPLE_RATE, TTS_SAMPLE_RATE } from "../../audio/rates.ts";
import { resample } from "../../audio/resample/resample.ts";
import { readConfig } from "../../config/config.ts";
import type { SynthesisTask } from "../../engine/protocol/synthesis.ts";
import { samplesOf } from "../../engine/protocol/synthesis.ts";
import { type Engine, type EngineRegistry, openRegistry } from "../../engine/registry.ts";
import { soleClaim } from "../../engine/runner.ts";
import type { Difference } from "../../models/signature/compare.ts";
import { openModelStore } from "../../models/store/model-store.ts";
import { engineSpecs } from "../../server/engines/engine-specs.ts";
import { recognize } from "../../transcription/recognize.ts";
import {
  engineModels,
  engineName,
  languageModels,
  type UpstreamModel,
  type UsableDefinition,
} from "../../upstreams/definition.ts";
import type { Preset } from "../../upstreams/dialects/preset.ts";
import { onlyLanguageModelsOf } from "../../upstreams/operations.ts";
import { openLiveUpstreams, type UpstreamSet } from "../../upstreams/upstreams.ts";
import { type Found, probeLanguageModel } from "./probe-language-model.ts";

/** `name`: that of the upstream, a slash, and the model's. */
export type Probed = Found & { name: string; failure: string | null };

/** Without fallbacks. */
export async function probeUpstream(set: UpstreamSet, usable: UsableDefinition): Promise<Probed[]> {
  const { definition, preset } = usable;
  const config = readConfig();
  const reasons: string[] = [];
  const failed = (_name: string, { message }: { message: string }) => void reasons.push(message);
  await using live = openLiveUpstreams(onlyLanguageModelsOf(set, definition), failed);
  await using registry = openRegistry((name) => live.spec(name)!);
  await using local = openRegistry(engineSpecs(config, openModelStore(config.models.weights)));
  const results: Probed[] = [];
  for (const entry of engineModels(definition)) {
    const name = engineName(definition, entry);
    results.push(await outcome(name, probe(registry.engine(name), { entry, preset, local }), reasons));
  }
  for (const { model } of languageModels(definition)) {
    const found = probeLanguageModel(live.languageModel(model)!, preset.chat!);
    results.push(await outcome(`${definition.name}/${model}`, found, reasons));
  }
  return results;
}

/** `reasons`: what the servers said, the last of which is why it failed. */
const outcome = (name: string, found: Promise<Found>, reasons: string[]): Promise<Probed> =>
  found.then(
    (all) => ({ name, ...all, failure: null }),
    (error: Error) => ({
      ...{ name, abilities: [], differences: [] },
      failure: reasons.splice(0).at(-1) ?? error.message,
    }),
  );

/** `local`: the engines of this machine. */
type Probing = { entry: UpstreamModel; preset: Preset; local: EngineRegistry };

function probe(engine: Engine, { entry, preset, local }: Probing): Promise<Found> {
  if (entry.type === "stt") return probeTranscription(engine, local, entry.languages);
  const voice = entry.voices[0]!;
  const task = {
    kind: "synthesis" as const,
    text: TEXT,
    speaker: voice.speaker,
    language: voice.languages[0]!,
    instructions: "",
  };
  return probeSpeech(engine, { ...task, speed: 1 }, preset.speech!);
}

const TEXT = "The quick brown fox jumps over the lazy dog, and then it rests under the old tree.";
const SLOW_MS = 500; // a server that is quicker may send all at once
const LATE = 0.9; // of the whole time
const PROBED_SPEED = 1.5;
const LEAST_RATIO = 1.2; // between the lengths of both

async function probeSpeech(
  engine: Engine,
  task: SynthesisTask,
  { stream, speed }: NonNullable<Preset["speech"]>,
): Promise<Found> {
  const { seconds, firstMs, wholeMs } = await speakOnce(engine, task);
  const abilities = [`${seconds.toFixed(1)} s spoken by ${task.speaker}`];
  abilities.push(`first audio after ${Math.round(firstMs)} of ${Math.round(wholeMs)} ms`);
  const differences: Difference[] = [];
  if (stream !== "none" && wholeMs > SLOW_MS && firstMs > LATE * wholeMs)
    differences.push({ path: "speech.stream", message: "no audio arrived before all of it was made" });
  const quick = Math.min(PROBED_SPEED, speed?.max ?? 1);
  if (quick >= LEAST_RATIO + 0.1) {
    const faster = await speakOnce(engine, { ...task, speed: quick });
    const isObeyed = seconds / faster.seconds >= Math.min(LEAST_RATIO, 1 + (quick - 1) / 2);
    if (isObeyed) abilities.push(`speed ${quick} is obeyed`);
    else differences.push({ path: "speech.speed", message: `speed ${quick} is not obeyed` });
  }
  return { abilities, differences };
}

async function speakOnce(engine: Engine, task: SynthesisTask) {
  const begunMs = performance.now();
  let firstMs: number | null = null;
  let samples = 0;
  const early = ({ length }: Float32Array) => {
    firstMs ??= performance.now() - begunMs;
    samples += length;
  };
  const claim = { ...soleClaim(), urgency: "streaming" as const, early };
  const rest = samplesOf(await engine.run(task, claim));
  const wholeMs = performance.now() - begunMs;
  return { seconds: (samples + rest.length) / TTS_SAMPLE_RATE, firstMs: firstMs ?? wholeMs, wholeMs };
}

const SENTENCE = "We are at the old house by the river.";
const SPOKEN = /house|river/i;

async function probeTranscription(
  engine: Engine,
  local: EngineRegistry,
  languages: string[],
): Promise<Found> {
  const language = languages.includes("en") ? "en" : languages[0]!;
  const task: SynthesisTask = {
    kind: "synthesis",
    ...{ text: SENTENCE, speaker: "slt", language: "en-US", speed: 1, instructions: "" },
  };
  const spoken = samplesOf(await local.engine("flite").run(task, soleClaim()));
  const samples = resample(spoken, TTS_SAMPLE_RATE, ASR_SAMPLE_RATE);
  const begunMs = performance.now();
  const recording = { samples, spans: null, language, prompt: "", claim: soleClaim() };
  const hypotheses = await Array.fromAsync(recognize(engine, recording));
  const text = hypotheses.flatMap(({ words }) => words.map((word) => word.text)).join(" ");
  const ms = Math.round(performance.now() - begunMs);
  const abilities = [`heard ${JSON.stringify(text.slice(0, 100))} in ${ms} ms`];
  const isRecognized = language !== "en" || SPOKEN.test(text);
  return {
    abilities,
    differences: isRecognized ? [] : [{ path: "transcription", message: `${SENTENCE} was not recognized` }],
  };
}
