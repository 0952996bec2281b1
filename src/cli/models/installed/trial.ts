/** One run of a package's engine, as the server would start it. A wrong export is refused by name when its graph opens. */
import { ASR_SAMPLE_RATE, TTS_SAMPLE_RATE } from "../../../audio/rates.ts";
import { readConfig } from "../../../config.ts";
import { soleClaim } from "../../../engine/claim.ts";
import { type FamilyTask, familyOf } from "../../../engine/families/families.ts";
import type { StreamingResult, StreamingTask } from "../../../engine/protocol/streaming-recognition.ts";
import type { SynthesisTask } from "../../../engine/protocol/synthesis.ts";
import type { VadResult, VadTask } from "../../../engine/protocol/vad.ts";
import { type Engine, type EngineRegistry, openRegistry } from "../../../engine/registry.ts";
import { openThreadPool } from "../../../engine/threads/thread-pool.ts";
import type { Package } from "../../../models/packages/package.ts";
import { isComplete } from "../../../models/store/companions.ts";
import { fileOf, type Installed, openModelStore } from "../../../models/store/model-store.ts";
import { worker } from "../../../resources.ts";
import { engineSpecs } from "../../../server/engine-specs.ts";
import { speakerOf, TRIAL_TEXT } from "../../../server/measure-speed.ts";
import { planSpeech } from "../../../speech/plan.ts";
import { synthesize } from "../../../speech/synthesize.ts";
import { recognize } from "../../../transcription/recognize.ts";
import { diarize } from "../../../transcription/speakers/diarize.ts";

export type Trial = { seconds: number; audioSeconds: number; firstSeconds: number };

const TONE_SECONDS = 10;

/** By what a family does. The files of other families are read as parts of these. */
const TRIALS: Partial<Record<FamilyTask, (engine: Engine, installed: Package) => Promise<Trial>>> = {
  synthesis: synthesizeOnce,
  recognition: recognizeOnce,
  "streaming-recognition": recognizeBothWays,
  "turn-detection": detectTurnOnce,
  diarization: tellSpeakersOnce,
};

/** Null: packages of this family are used by other engines. */
export async function runTrial(installed: Installed): Promise<Trial | null> {
  const { family, name } = installed.package;
  const { task } = familyOf(family);
  if (task === "voice-activity") return detectSpeechOnce(installed);
  const run = TRIALS[task];
  if (!run || !isComplete(openModelStore(readConfig().models.weights), family)) return null;
  await using registry = openWith(installed);
  return await run(registry.engine(name), installed.package);
}

/** The engines of this machine, with this package, whether or not it is in the model store. */
export function openWith(installed: Installed): EngineRegistry {
  const config = readConfig();
  const all = openModelStore(config.models.weights);
  const { name } = installed.package;
  const store = { ...all, installed: (other: string) => (other === name ? installed : all.installed(other)) };
  return openRegistry(engineSpecs(config, store));
}

async function synthesizeOnce(engine: Engine, pkg: Package): Promise<Trial> {
  const { name } = pkg;
  const task: Omit<SynthesisTask, "pronounced"> = {
    text: TRIAL_TEXT,
    speaker: speakerOf(pkg),
    language: "en-US",
    speed: 1,
    instructions: "",
  };
  await engine.run({ ...task, text: "Ready." }, soleClaim());
  const request = { ...task, engine: name, claim: soleClaim() };
  const begun = performance.now();
  let firstSeconds = 0;
  let samples = 0;
  for await (const chunk of synthesize(engine, request, planSpeech(TRIAL_TEXT, task.language))) {
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
const tone = (seconds: number): Float32Array =>
  Float32Array.from(
    { length: seconds * ASR_SAMPLE_RATE },
    (_, index) => 0.1 * Math.sin(index / 9) * Math.sin(index / 3000),
  );

const recognizeAll = (engine: Engine, samples: Float32Array, spans: { start: number; end: number }[]) =>
  Array.fromAsync(recognize(engine, { samples, spans, language: "en", prompt: "", claim: soleClaim() }));

const wholeOf = (samples: Float32Array) => [{ start: 0, end: samples.length }];

async function recognizeOnce(engine: Engine): Promise<Trial> {
  const short = tone(1);
  await Promise.all([short, short.slice()].map((each) => recognizeAll(engine, each, wholeOf(short)))); // one batch
  const samples = tone(TONE_SECONDS);
  const begun = performance.now();
  await recognizeAll(engine, samples, wholeOf(samples));
  const seconds = (performance.now() - begun) / 1000;
  return { seconds, audioSeconds: TONE_SECONDS, firstSeconds: seconds };
}

/** A recording, and two live streams at once. */
async function recognizeBothWays(engine: Engine): Promise<Trial> {
  const trial = await recognizeOnce(engine);
  const ids = [1, 2];
  const run = (task: Partial<StreamingTask>) =>
    engine.run<StreamingResult[]>({ open: [], feed: [], finish: [], close: [], ...task }, soleClaim());
  await run({ open: ids.map((id) => ({ id, language: null })) });
  await run({ feed: ids.map((id) => ({ id, samples: tone(2) })) });
  const results = await run({ finish: ids, close: ids });
  if (results.length !== ids.length) throw new Error("the engine lost a live stream");
  return trial;
}

async function detectTurnOnce(engine: Engine): Promise<Trial> {
  const samples = tone(TONE_SECONDS);
  await engine.run<number>({ samples: samples.slice() }, soleClaim());
  const begun = performance.now();
  const probability = await engine.run<number>({ samples }, soleClaim());
  const seconds = (performance.now() - begun) / 1000;
  if (!(probability >= 0 && probability <= 1)) throw new Error(`the engine returned ${probability}`);
  return { seconds, audioSeconds: TONE_SECONDS, firstSeconds: seconds };
}

const SPEAKERS_SECONDS = 30;

/** Reads the embeddings of another package too. */
async function tellSpeakersOnce(engine: Engine): Promise<Trial> {
  const options = { voices: [tone(2)], speakerCount: null, claim: soleClaim() };
  await diarize(engine, [tone(1)], options);
  const begun = performance.now();
  await diarize(engine, [tone(SPEAKERS_SECONDS)], options);
  const seconds = (performance.now() - begun) / 1000;
  return { seconds, audioSeconds: SPEAKERS_SECONDS, firstSeconds: seconds };
}

const SILERO_WINDOW = 512;

/** Two live streams at once. A graph that does not open would leave voice detection to the built-in detector. */
async function detectSpeechOnce(installed: Installed): Promise<Trial> {
  const data = { model: fileOf(installed, "model") };
  await using pool = openThreadPool(worker("vad/vad"), { size: 1, queueMax: 1, data });
  const bytes = new Uint8Array(new Int16Array(tone(TONE_SECONDS).map((sample) => sample * 32_767)).buffer);
  const ids = [1, 2];
  const task: VadTask = {
    open: ids.map((id) => ({ id, format: { type: "audio/pcm", rate: ASR_SAMPLE_RATE } })),
    feed: ids.map((id) => ({ id, bytes, detect: true })),
    close: ids,
  };
  const begun = performance.now();
  const results = await pool.run<VadResult[]>(task);
  const seconds = (performance.now() - begun) / 1000;
  for (const { windowSamples, probabilities } of results) {
    if (windowSamples !== SILERO_WINDOW) throw new Error("its graph cannot be opened");
    if (!probabilities.every((each) => each >= 0 && each <= 1)) throw new Error("it returned no probability");
  }
  return { seconds, audioSeconds: ids.length * TONE_SECONDS, firstSeconds: seconds };
}
