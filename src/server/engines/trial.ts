/**
 * One run of a package's engine, as the server would start it: a voice speaks a short text, a recognizer reads a recording
 * of it. Takes seconds; a slow voice is stopped after twenty. A wrong export is refused by name when its graph opens.
 */
import { loudnessOf } from "../../audio/loudness/integrated-loudness.ts";
import { TTS_SAMPLE_RATE } from "../../audio/rates.ts";
import type { Config } from "../../config/config.ts";
import { type FamilyTask, familyOf } from "../../engine/families/families.ts";
import type { G2pTask } from "../../engine/protocol/g2p.ts";
import type { StreamingTask } from "../../engine/protocol/streaming-recognition.ts";
import type { VadTask } from "../../engine/protocol/vad.ts";
import { type Engine, type EngineRegistry, openRegistry } from "../../engine/registry.ts";
import { soleClaim } from "../../engine/runner.ts";
import { openThreadPool } from "../../engine/threads/thread-pool.ts";
import type { Package } from "../../models/packages/package.ts";
import { isComplete } from "../../models/store/companions.ts";
import {
  fileOf,
  type Installed,
  installedFor,
  type ModelStore,
  openModelStore,
} from "../../models/store/model-store.ts";
import { worker } from "../../resources.ts";
import { recognize } from "../../transcription/recognize.ts";
import { diarize } from "../../transcription/speakers/diarize.ts";
import { joined } from "../../transcription/transcript.ts";
import { engineSpecs } from "./engine-specs.ts";
import { publishedLevels } from "./levels.ts";
import { faultOfSpeech, faultOfText } from "./output-faults.ts";
import { type Recording, recordingOf, speak, textIn } from "./recording.ts";

/**
 * `samples`: what a voice spoke, at 24 kHz. `loudness`: of voices without a gain, in LUFS, by the engine's names. `fault`: what
 * is wrong with what came out; null where nothing is.
 */
export type Trial = {
  seconds: number;
  audioSeconds: number;
  firstSeconds: number;
  samples: Float32Array | null;
  loudness: Record<string, number>;
  fault: string | null;
};

/** `record`: speaks what recognizers and detectors listen to. Voices are tried without it. */
type Open = { registry: Pick<EngineRegistry, "engine">; record: () => Promise<Recording> };
type Run = (engine: Engine, pkg: Package, open: Open) => Promise<Trial>;

/** By what a family does. The files of other families are read as parts of these. */
const RUNS: Partial<Record<FamilyTask, Run>> = {
  synthesis: synthesizeOnce,
  recognition: recognizeOnce,
  "streaming-recognition": recognizeBothWays,
  "turn-detection": detectTurnOnce,
  diarization: tellSpeakersOnce,
};

/**
 * Null: nothing on this machine can run it now, such as one half of two packages.
 * `installed` may lie outside the model store; it takes the place of an installed package of its name.
 */
export async function runTrial(installed: Installed, config: Config): Promise<Trial | null> {
  const { task } = familyOf(installed.package.family);
  const all = openModelStore(config.models.weights);
  const store = withPackage(all, installed);
  await using registry = openRegistry(engineSpecs(config, store));
  const open = { registry, record: () => recordingOf(registry) };
  if (task === "voice-activity") return await detectSpeechOnce(installed, open);
  if (task === "pronunciation") return await pronounceOnce(registry);
  const runner = task === "speaker-embedding" ? installedFor(store, "diarization") : installed;
  const run = runner && RUNS[familyOf(runner.package.family).task];
  if (!runner || !run || !isComplete(store, runner.package.family)) return null;
  try {
    return await run(registry.engine(runner.package.name), runner.package, open);
  } catch (error) {
    throw (error as Error).cause instanceof Error ? (error as Error).cause : error; // what callers are told says less
  }
}

const withPackage = (all: ModelStore, installed: Installed): ModelStore => {
  const { name } = installed.package;
  return {
    installed: (other) => (other === name ? installed : all.installed(other)),
    list: () => [installed, ...all.list().filter((other) => other.package.name !== name)],
    damaged: all.damaged,
  };
};

/**
 * The first text also loads the engine, and what pronounces for it: where that took too long already, the short one tells the
 * speed. @internal
 */
export async function synthesizeOnce(_engine: Engine, pkg: Package, { registry }: Open): Promise<Trial> {
  const [{ speaker, locale }, ...others] = speakersOf(pkg);
  const spoken = { engine: pkg.name, speaker, language: locale, gain: 1 };
  const { short, long } = textIn(locale);
  const first = await speak(registry, { ...spoken, text: short });
  const { isLate, ...whole } = await speak(registry, { ...spoken, text: first.isLate ? short : long });
  const fault = faultOfSpeech(whole.samples, first.isLate ? short : long);
  const spoke: Spoke[] = [{ speaker, samples: whole.samples }];
  if (fault === null && !isLate) spoke.push(...(await speakOthers(registry, pkg, others)));
  return { ...whole, loudness: loudnessIn(spoke), fault };
}

type Speaker = { speaker: string; locale: string };
type Spoke = { speaker: string; samples: Float32Array };

const OTHERS_MS = 10_000;

/** As many as there is time for; not those of which more is known, and not one that cannot speak. */
async function speakOthers(
  registry: Open["registry"],
  { name: engine, family }: Package,
  others: Speaker[],
): Promise<Spoke[]> {
  const published = publishedLevels(family);
  const begun = performance.now();
  const spoke: Spoke[] = [];
  for (const { speaker, locale: language } of others) {
    if (Object.hasOwn(published, speaker)) continue;
    if (performance.now() - begun > OTHERS_MS) break;
    const text = textIn(language).long;
    const spoken = await speak(registry, { engine, speaker, language, text, gain: 1 }).catch(() => null);
    if (spoken) spoke.push({ speaker, samples: spoken.samples });
  }
  return spoke;
}

/** Without those that are silent. */
function loudnessIn(spoke: Spoke[]): Trial["loudness"] {
  const figures = spoke.map(
    ({ speaker, samples }) => [speaker, loudnessOf([samples], TTS_SAMPLE_RATE)] as const,
  );
  const finite = figures.filter(([, lufs]) => Number.isFinite(lufs));
  return Object.fromEntries(finite.map(([speaker, lufs]) => [speaker, Number(lufs.toFixed(1))]));
}

/** As the engine of a package names them. */
function speakersOf({ files, voices = [] }: Package): [Speaker, ...Speaker[]] {
  const named = files.flatMap(({ role }) => (role.startsWith("voice-") ? role.slice("voice-".length) : []));
  const all = voices.length > 0 ? voices : named.map((speaker) => ({ speaker, locale: "en-US" }));
  return [all[0] ?? { speaker: "0", locale: "en-US" }, ...all.slice(1)];
}

const LIMIT_MS = 300_000; // damaged weights make Whisper try six temperatures, of 224 tokens each
const wholeOf = (samples: Float32Array) => [{ start: 0, end: samples.length }];

type Listening = { language: string; signal: AbortSignal };

/** Transfers the samples. */
async function textOf(
  engine: Engine,
  samples: Float32Array,
  { language, signal }: Listening,
): Promise<string> {
  const spans = wholeOf(samples);
  const asked = { samples, spans, language, prompt: "", claim: soleClaim(signal) };
  const hypotheses = await Array.fromAsync(recognize(engine, asked));
  return joined(hypotheses.flatMap(({ words }) => words));
}

/**
 * What is spoken is English: only of a recognizer of English its words are compared, and not of one that takes more than five
 * minutes for them.
 */
async function recognizeOnce(engine: Engine, pkg: Package, { record }: Open): Promise<Trial> {
  const languages = pkg.recognition?.flatMap((each) => each.languages) ?? ["en"];
  const isEnglish = languages.includes("en");
  const { short, long, text } = await record();
  const signal = AbortSignal.timeout(LIMIT_MS);
  const listening = { language: isEnglish ? "en" : languages[0]!, signal };
  try {
    await Promise.all([short, short].map((each) => textOf(engine, each.slice(), listening))); // one batch
    const begun = performance.now();
    const found = await textOf(engine, long.samples.slice(), listening);
    const seconds = (performance.now() - begun) / 1000;
    const fault = isEnglish && text !== null ? faultOfText(found, text) : null;
    return { ...timed(seconds, long.seconds), fault };
  } catch (error) {
    if (!signal.aborted) throw error;
    return { ...timed(LIMIT_MS / 1000, long.seconds), fault: null };
  }
}

const timed = (seconds: number, audioSeconds: number): Omit<Trial, "fault"> => ({
  seconds,
  audioSeconds,
  firstSeconds: seconds,
  samples: null,
  loudness: {},
});

/** A recording, and two live streams at once. */
async function recognizeBothWays(engine: Engine, pkg: Package, open: Open): Promise<Trial> {
  const recording = await open.record();
  const trial = await recognizeOnce(engine, pkg, { ...open, record: async () => recording });
  const ids = [1, 2];
  const run = (task: Partial<StreamingTask>) =>
    engine.run(
      { kind: "streaming-recognition", open: [], feed: [], finish: [], close: [], ...task },
      soleClaim(),
    );
  await run({ open: ids.map((id) => ({ id, language: null })) });
  await run({ feed: ids.map((id) => ({ id, samples: recording.short.slice() })) });
  const results = await run({ finish: ids, close: ids });
  return results.length === ids.length ? trial : { ...trial, fault: "it lost a live stream" };
}

async function detectTurnOnce(engine: Engine, _pkg: Package, { record }: Open): Promise<Trial> {
  const { samples, seconds: audioSeconds } = (await record()).long;
  await engine.run({ kind: "turn", samples: samples.slice() }, soleClaim());
  const begun = performance.now();
  const probability = await engine.run({ kind: "turn", samples: samples.slice() }, soleClaim());
  const seconds = (performance.now() - begun) / 1000;
  const isProbability = probability >= 0 && probability <= 1;
  const fault = isProbability ? null : `it returned ${probability}, which is no probability`;
  return { ...timed(seconds, audioSeconds), fault };
}

const REPEATED = 4; // longer than one window of ten seconds

/** Reads the embeddings of another package too. */
async function tellSpeakersOnce(engine: Engine, _pkg: Package, { record }: Open): Promise<Trial> {
  const { short, long } = await record();
  const options = { voices: [short.slice()], speakerCount: null, claim: soleClaim() };
  await diarize(engine, [short], options);
  const begun = performance.now();
  await diarize(engine, new Array<Float32Array>(REPEATED).fill(long.samples), options);
  const seconds = (performance.now() - begun) / 1000;
  return { ...timed(seconds, REPEATED * long.seconds), fault: null };
}

const SILERO_WINDOW = 512;
const SPEECH = 0.5; // a probability

/** Two live streams at once. A graph that does not open would leave voice detection to the built-in detector. */
async function detectSpeechOnce(installed: Installed, { record }: Open): Promise<Trial> {
  const recording = await record();
  const data = { model: fileOf(installed, "model") };
  await using pool = openThreadPool(worker("vad/vad"), { size: 1, data });
  const { pcm, rate, seconds: audioSeconds } = recording.long;
  const ids = [1, 2];
  const task: VadTask = {
    kind: "voice-activity",
    open: ids.map((id) => ({ id, format: { type: "audio/pcm", rate } })),
    feed: ids.map((id) => ({ id, bytes: pcm, detect: true })),
    close: ids,
  };
  const begun = performance.now();
  const results = await pool.run(task);
  const trial = timed((performance.now() - begun) / 1000, ids.length * audioSeconds);
  const isProbability = (each: number) => each >= 0 && each <= 1;
  if (results.some(({ windowSamples }) => windowSamples !== SILERO_WINDOW))
    return { ...trial, fault: "its graph cannot be opened" };
  const found = results.flatMap(({ probabilities }) => [...probabilities]);
  if (!found.every(isProbability)) return { ...trial, fault: "it returned no probability" };
  const isDeaf = recording.text !== null && !found.some((each) => each > SPEECH);
  return { ...trial, fault: isDeaf ? "it finds no speech in a recording of speech" : null };
}

/** A word of its dictionaries, by the process that would read them. */
async function pronounceOnce(registry: EngineRegistry): Promise<Trial> {
  const task: G2pTask = { kind: "phonemes", text: "Hello.", alphabet: "kokoro", voice: "en-us" };
  const begun = performance.now();
  const phonemes = await registry.engine("phonemes").run(task, soleClaim());
  const seconds = (performance.now() - begun) / 1000;
  const fault = /^\s*h\S*lˈ?O/.test(phonemes) ? null : `it pronounces "Hello." as "${phonemes}"`;
  return { ...timed(seconds, 0), fault };
}
