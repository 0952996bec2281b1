/**
 * What the worst inputs cost: processor time for each second of a recording, and for each character of a text, which are what
 * a caller pays for. Each is held to ten times what is usual: of a recording, the median of real speech; of a text, ordinary
 * prose of as many characters or of as much speech, since a request is limited in both.
 *
 * `BENCH_WORST=sphinx,whisper,flite,espeak,piper,kokoro` measures some.
 */
import { ASR_SAMPLE_RATE, TTS_SAMPLE_RATE } from "../../src/audio/rates.ts";
import { resample } from "../../src/audio/resample/resample.ts";
import { readConfig } from "../../src/config/config.ts";
import { soleClaim } from "../../src/engine/runner.ts";
import { type Inference, openInference } from "../../src/server/inference.ts";
import { planScript } from "../../src/speech/plan.ts";
import { readScript } from "../../src/speech/script/read-script.ts";
import { synthesize } from "../../src/speech/synthesize.ts";
import { recognize } from "../../src/transcription/recognize.ts";
import { hasClips } from "../../test/clips.ts";
import {
  babble,
  burstsOfNoise,
  clicks,
  endlessVowel,
  repeated,
  shuffledFrames,
} from "../../test/workers/asr/worst-speech.ts";
import {
  REAL_VOICES,
  realStoreWithoutVad,
  realVoices,
  unlessReal,
} from "../../testing/packages/real-weights.ts";
import { cpuSecondsOfAll } from "../harness/process.ts";
import { median, type Row } from "../harness/row.ts";
import { textOf } from "../harness/texts.ts";
import { type Material, recordings, withoutSpeech, withPauses } from "../references/whisper-material.ts";
import { worstTexts } from "./worst-texts.ts";

const SECONDS = 24; // two utterances of PocketSphinx, one window of Whisper
const LONG_SECONDS = 120;
const RATIO_MAX = 10;
const PROSE = [0, 3, 6];

/** `usual`: what is usual in place of `cost`. */
type Case = { name: string; cost: number; usual: number };

export async function* benchWorstInputs(): AsyncGenerator<Row> {
  const asked = (Bun.env.BENCH_WORST ?? "sphinx,whisper,flite,espeak,piper,kokoro").split(",");
  for (const name of asked) yield* RECOGNIZERS[name] ? recognizer(name) : voice(name);
}

const opened = (weights: string | null): Inference =>
  openInference(readConfig({ LOQUAT_THREADS: "2", ...(weights ? { LOQUAT_WEIGHTS: weights } : {}) }));

/** Processor time of this process and of those it started. */
async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const before = cpuSecondsOfAll(process.pid);
  await work();
  return cpuSecondsOfAll(process.pid) - before;
}

const RECOGNIZERS: Record<string, { title: string; engine: string; weights: () => string | null }> = {
  sphinx: { title: "PocketSphinx", engine: "sphinx", weights: () => null },
  whisper: { title: "Whisper tiny.en", engine: "whisper-tiny.en", weights: realStoreWithoutVad },
};

async function* recognizer(name: string): AsyncGenerator<Row> {
  const { title, engine, weights } = RECOGNIZERS[name]!;
  const missing = hasClips ? (name === "whisper" ? unlessReal("whisper") : "") : " (no recordings here)";
  if (missing !== "") return yield { name: `${title}${missing}`, value: 0, unit: "rows" };
  await using inference = opened(weights());
  const costOf = async (samples: Float32Array): Promise<number> => {
    const task = { samples: samples.slice(), spans: null, language: "en", prompt: "", claim: soleClaim() };
    const work = () => Array.fromAsync(recognize(inference.registry.engine(engine), task));
    return ((await secondsOf(work)) * ASR_SAMPLE_RATE) / samples.length;
  };
  const speech = await recordings();
  await costOf(speech[0]!.samples); // opens the engine
  const unit = "ms a second of sound";
  const long = withPauses(speech, LONG_SECONDS).samples;
  const ofSpeech: number[] = [];
  for (const { samples } of speech) ofSpeech.push(await costOf(samples));
  const usual = median(ofSpeech);
  async function* cases(): AsyncGenerator<Case> {
    for (const { name, samples } of worstSounds(speech)) yield { name, cost: await costOf(samples), usual };
  }
  yield {
    name: `${title}: ${LONG_SECONDS} s of speech with pauses`,
    value: (await costOf(long)) * 1000,
    unit,
  };
  yield* rowsOf({ title, usual, unit }, cases());
}

function worstSounds(all: readonly Material[]): Material[] {
  const speech = joined(all).subarray(0, SECONDS * ASR_SAMPLE_RATE);
  const word = speech.slice(ASR_SAMPLE_RATE, 1.45 * ASR_SAMPLE_RATE);
  const sounds: Record<string, Float32Array> = {
    "shuffled frames of 20 ms": shuffledFrames(speech, 320),
    "shuffled frames of 60 ms": shuffledFrames(speech, 960),
    "shuffled frames of 200 ms": shuffledFrames(speech, 3200),
    "eight voices at once": babble(speech, 8),
    "speech backwards": speech.slice().reverse(),
    "speech at twice the pace": resample(speech, 2 * ASR_SAMPLE_RATE, ASR_SAMPLE_RATE),
    "one word again and again": repeated(word, SECONDS),
    "a tenth of a second again and again": repeated(word.subarray(0, ASR_SAMPLE_RATE / 10), SECONDS),
    "one endless vowel": endlessVowel(SECONDS),
    "bursts of noise": burstsOfNoise(SECONDS),
    "clicks in digital silence": clicks(SECONDS, 7),
    "a click every two seconds": clicks(SECONDS, 0.5),
  };
  const made = Object.entries(sounds).map(([name, samples]) => ({ name, samples, text: "" }));
  return [...made, ...withoutSpeech()];
}

function joined(all: readonly Material[]): Float32Array {
  const samples = new Float32Array(all.reduce((sum, each) => sum + each.samples.length, 0));
  let at = 0;
  for (const each of all) {
    samples.set(each.samples, at);
    at += each.samples.length;
  }
  return samples;
}

/** `characters`: of a text, so many that the processor time is more than its clock's step. */
const VOICES: Record<string, { title: string; id?: string; characters: number }> = {
  flite: { title: "Flite", characters: 2000 },
  espeak: { title: "eSpeak NG, German", characters: 2000 },
  piper: { title: "Piper en-joe", id: REAL_VOICES.piper, characters: 600 },
  kokoro: { title: "Kokoro int8", id: REAL_VOICES.kokoro, characters: 60 },
};

async function* voice(name: string): AsyncGenerator<Row> {
  const { title, id, characters } = VOICES[name]!;
  const missing = id === undefined ? "" : unlessReal("piper", "kokoro");
  if (missing !== "") return yield { name: `${title}${missing}`, value: 0, unit: "rows" };
  await using inference = opened(id === undefined ? null : realVoices());
  const speaker = inference.catalogue.voices.find((each) =>
    id === undefined ? each.engine === name && /^(en|de)/.test(each.locale) : each.id === id,
  )!;
  const made = async (text: string): Promise<Made> => {
    let speechSeconds = 0;
    const spent = await secondsOf(async () => {
      speechSeconds = await speak(inference, speaker, text);
    });
    return { spent, speechSeconds, characters: [...text].length };
  };
  await made(textOf(1)); // opens the engine
  const prose: Made[] = [];
  for (const turn of PROSE) prose.push(await made(proseOf(characters, turn)));
  const ofCharacter = median(prose.map((each) => each.spent / each.characters));
  const ofSecond = median(prose.map((each) => each.spent / each.speechSeconds));
  async function* cases(): AsyncGenerator<Case> {
    for (const [kind, text] of Object.entries(worstTexts(characters))) {
      const { spent, speechSeconds, ...of } = await made(text);
      const usual = Math.max(ofCharacter, (ofSecond * speechSeconds) / of.characters);
      yield { name: `${kind} (${speechSeconds.toFixed(0)} s)`, cost: spent / of.characters, usual };
    }
  }
  yield { name: `${title}: median of prose, of its speech`, value: ofSecond * 1000, unit: "ms a second" };
  yield* rowsOf({ title, usual: ofCharacter, unit: "ms a character" }, cases());
}

/** What a text took, in seconds of a processor. */
type Made = { spent: number; speechSeconds: number; characters: number };

const proseOf = (characters: number, turn: number): string =>
  Array.from({ length: Math.ceil(characters / 200) }, (_, at) => textOf(turn + at))
    .join(" ")
    .slice(0, characters);

type Speaker = { engine: string; speaker: string; locale: string };

/** Returns the seconds of speech. */
async function speak(
  { registry }: Inference,
  { engine, speaker, locale: language }: Speaker,
  text: string,
): Promise<number> {
  const { parts, pronounced } = readScript(text);
  const manner = { engine, speaker, language, speed: 1, instructions: "", claim: soleClaim() };
  const request = { ...manner, text, pronounced };
  let samples = 0;
  for await (const piece of synthesize(registry.engine(engine), request, planScript(parts, language)))
    samples += piece.length;
  return samples / TTS_SAMPLE_RATE;
}

/** `usual`: what usual input costs. */
type Measured = { title: string; usual: number; unit: string };

/** Each case as it is measured, and the worst of them at the end. */
async function* rowsOf({ title, usual, unit }: Measured, cases: AsyncIterable<Case>): AsyncGenerator<Row> {
  yield { name: `${title}: median of what is usual`, value: usual * 1000, unit };
  let worst: Case = { name: "none", cost: 0, usual: 1 };
  for await (const each of cases) {
    yield { name: `${title}: ${each.name}`, value: each.cost * 1000, unit };
    if (each.cost / each.usual > worst.cost / worst.usual) worst = each;
  }
  yield {
    ...{ name: `${title}: worst, ${worst.name}`, value: worst.cost / worst.usual },
    ...{ unit: "times", target: `at most ${RATIO_MAX}` },
  };
}
