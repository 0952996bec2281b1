/**
 * Runs the engine of one package as the server would, in a process of its own: for one caller, and for eight at once.
 * Prints what it took as JSON, on the last line. Memory is what this process grew by at most, its workers included.
 */

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ASR_SAMPLE_RATE, TTS_SAMPLE_RATE } from "../../src/audio/rates.ts";
import { readConfig } from "../../src/config/config.ts";
import { alphabetOf, type FamilyTask, familyOf } from "../../src/engine/families/families.ts";
import type { StreamingTask } from "../../src/engine/protocol/streaming-recognition.ts";
import type { SynthesisTask } from "../../src/engine/protocol/synthesis.ts";
import { samplesOf } from "../../src/engine/protocol/synthesis.ts";
import type { VadTask } from "../../src/engine/protocol/vad.ts";
import { type Engine, openRegistry } from "../../src/engine/registry.ts";
import { soleClaim } from "../../src/engine/runner.ts";
import { openThreadPool } from "../../src/engine/threads/thread-pool.ts";
import type { Package } from "../../src/models/packages/package.ts";
import { fileOf, type Installed, openModelStore } from "../../src/models/store/model-store.ts";
import { worker } from "../../src/resources.ts";
import { engineSpecs } from "../../src/server/engines/engine-specs.ts";
import { recognize } from "../../src/transcription/recognize.ts";
import { diarize } from "../../src/transcription/speakers/diarize.ts";
import { recordingOf } from "../../testing/packages/families/speakers.ts";
import { openRandom } from "../../testing/packages/random.ts";

/** One caller's work: the seconds of audio it spoke or recognized, and the words that were in it. */
type Done = { audioSeconds: number; words: number };
/** `turn` counts the callers. */
type Work = (turn: number) => Promise<Done>;
type Session = AsyncDisposable & { work: Work };

export type TrialResult = {
  /** Megabytes above those of a process without an engine. */
  memoryMb: number;
  /** Times real time. */
  speed: number;
  /** The same of eight callers together; null where they would wait for each other, or for too long. */
  eight: { memoryMb: number; speed: number } | null;
  words: number;
  audioSeconds: number;
};

const EIGHT = 8;
const ROUNDS = 3;
const ONE_SECONDS = 10;
const EIGHT_SECONDS = 40;
const RECORDING_SECONDS = 20;
const WINDOW_SECONDS = 30; // Whisper's

/** Twelve seconds of speech: 160 phonemes, or as many letters. */
const PHONEMES = "ðə kwˈɪk bɹˈWn fˈɑks ʤˈʌmps ˌOvəɹ ðə lˈAzi dˈɔɡ, ".repeat(4).slice(0, 160);
const TEXT = "The quick brown fox jumps over the lazy dog, and then it runs away. ".repeat(3).slice(0, 165);

function noise(seconds: number, seed: number): Float32Array {
  const random = openRandom(seed);
  return Float32Array.from({ length: seconds * ASR_SAMPLE_RATE }, () => (random() - 0.5) * 0.2);
}

const LONGEST_SECONDS = 600;
const TURN_SECONDS = 3;

/** Three people who speak without pauses. */
const conversation = (seconds: number): Float32Array =>
  recordingOf(
    seconds,
    Array.from({ length: seconds / TURN_SECONDS }, (_, turn) => ({
      speaker: turn % 3,
      start: turn * TURN_SECONDS,
      end: (turn + 1) * TURN_SECONDS,
    })),
  );

const SESSIONS: Partial<Record<FamilyTask, (engine: Engine, pkg: Package) => Work>> = {
  synthesis: (engine, pkg) => async () => {
    const file = pkg.files.find(({ role }) => role.startsWith("voice-"));
    const known = pkg.family === "kitten" ? pkg.voices?.[0]?.speaker : file?.role.slice("voice-".length);
    const speaker = known ?? "0";
    const manner = { language: "en-US", speaker, speed: 1, kind: "synthesis" as const, instructions: "" };
    const task: SynthesisTask =
      alphabetOf(pkg.family) === null
        ? { ...manner, text: TEXT }
        : { ...manner, text: "", phonemes: PHONEMES };
    const samples = await engine.run(task, soleClaim()).then(samplesOf);
    if (!samples.every(Number.isFinite)) throw new Error("it spoke no audio");
    return { audioSeconds: samples.length / TTS_SAMPLE_RATE, words: 0 };
  },
  recognition:
    (engine, { family }) =>
    async (turn) => {
      const audioSeconds = family === "whisper" ? WINDOW_SECONDS : RECORDING_SECONDS;
      const samples = noise(audioSeconds, turn);
      const spans = [{ start: 0, end: samples.length }];
      const recording = { samples, spans, language: "en", prompt: "", claim: soleClaim(), wordTimes: false };
      const hypotheses = await Array.fromAsync(recognize(engine, recording));
      return { audioSeconds, words: hypotheses.flatMap(({ words }) => words).length };
    },
  "streaming-recognition": (engine) => async (turn) => {
    const id = turn + 1;
    const samples = noise(RECORDING_SECONDS, id);
    const run = (task: Partial<StreamingTask>) =>
      engine.run(
        { kind: "streaming-recognition", open: [], feed: [], finish: [], close: [], ...task },
        soleClaim(),
      );
    const results = await run({ open: [{ id, language: "en" }] });
    const size = ASR_SAMPLE_RATE / 10;
    for (let at = 0; at < samples.length; at += size)
      results.push(...(await run({ feed: [{ id, samples: samples.slice(at, at + size) }] })));
    results.push(...(await run({ finish: [id], close: [id] })));
    return { audioSeconds: RECORDING_SECONDS, words: results.flatMap(({ words }) => words).length };
  },
  diarization: (engine) => async (turn) => {
    const audioSeconds = turn === 0 ? 2 * WINDOW_SECONDS : LONGEST_SECONDS;
    const options = { voices: [], speakerCount: null, claim: soleClaim() };
    await diarize(engine, [conversation(audioSeconds)], options);
    return { audioSeconds, words: 0 };
  },
  "turn-detection": (engine) => async (turn) => {
    const audioSeconds = 8;
    await engine.run({ kind: "turn", samples: noise(audioSeconds, turn) }, soleClaim());
    return { audioSeconds, words: 0 };
  },
};

function openVoiceActivity(installed: Installed): Session {
  const pool = openThreadPool(worker("vad/vad"), {
    size: 1,
    data: { model: fileOf(installed, "model") },
  });
  const work: Work = async (turn) => {
    const samples = noise(RECORDING_SECONDS, turn);
    const bytes = new Uint8Array(Int16Array.from(samples, (sample) => sample * 32_767).buffer);
    const task: VadTask = {
      kind: "voice-activity",
      open: [{ id: turn, format: { type: "audio/pcm", rate: ASR_SAMPLE_RATE } }],
      feed: [{ id: turn, bytes, detect: true }],
      close: [turn],
    };
    await pool.run(task);
    return { audioSeconds: RECORDING_SECONDS, words: 0 };
  };
  return { work, [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose]() };
}

function open({ package: pkg, folder }: Installed): Session {
  const { task } = familyOf(pkg.family);
  if (task === "voice-activity") return openVoiceActivity({ package: pkg, folder });
  const config = readConfig();
  const registry = openRegistry(engineSpecs(config, openModelStore(config.models.weights)));
  const work = SESSIONS[task]!(registry.engine(pkg.name), pkg);
  return { work, [Symbol.asyncDispose]: () => registry[Symbol.asyncDispose]() };
}

const statusKib = (field: string) =>
  Number(new RegExp(`^${field}:\\s+(\\d+)`, "m").exec(readFileSync("/proc/self/status", "utf8"))?.[1] ?? 0);

/** From now on the peak is that of what comes. */
function resetPeak(): number {
  Bun.gc(true);
  const path = join("/proc/self", "clear_refs");
  if (existsSync(path)) writeFileSync(path, "5");
  return statusKib("VmRSS");
}

type Timed = { seconds: number; speed: number; done: Done[] };

async function timed(work: () => Promise<Done[]>): Promise<Timed> {
  const begun = performance.now();
  const done = await work();
  const seconds = (performance.now() - begun) / 1000;
  return { seconds, speed: done.reduce((sum, { audioSeconds }) => sum + audioSeconds, 0) / seconds, done };
}

async function measure(installed: Installed): Promise<TrialResult> {
  const idle = resetPeak();
  const grownMb = () => Math.round(((statusKib("VmHWM") - idle) * 1024) / 1e6);
  await using session = open(installed);
  await session.work(0); // opens the engine
  const one: Timed[] = [];
  for (let spent = 0; one.length < ROUNDS && spent < ONE_SECONDS; spent += one.at(-1)!.seconds)
    one.push(await timed(async () => [await session.work(one.length)]));
  const { speed, done } = one.toSorted((a, b) => a.speed - b.speed)[one.length >> 1]!;
  const memoryMb = grownMb();
  const isLong = (EIGHT * done[0]!.audioSeconds) / speed > EIGHT_SECONDS;
  const isBatched = familyOf(installed.package.family).concurrency > 1;
  if (isLong || !isBatched) return { memoryMb, speed, eight: null, ...done[0]! };
  const all = await timed(() => Promise.all(Array.from({ length: EIGHT }, (_, turn) => session.work(turn))));
  return { memoryMb, speed, eight: { memoryMb: grownMb(), speed: all.speed }, ...done[0]! };
}

const all = openModelStore(readConfig().models.weights).list();
const engine = all.find(({ package: { family } }) => familyOf(family).companion) ?? all[0]!;
process.stdout.write(`\n${JSON.stringify(await measure(engine))}\n`);
process.exit(0);
