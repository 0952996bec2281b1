/**
 * The sound quality of the voices, by DNSMOS, beside that of people, and held to the figures that were recorded last
 * (`voice-quality.json`): thirty texts by every English voice at hand, nine by each of another language; and how loud each
 * voice is. `BENCH_QUALITY=record` records.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ASR_SAMPLE_RATE, TTS_SAMPLE_RATE } from "../../src/audio/rates.ts";
import { resample } from "../../src/audio/resample/resample.ts";
import { readConfig } from "../../src/config/config.ts";
import { soleClaim } from "../../src/engine/runner.ts";
import { isEmbedded, type Voice } from "../../src/models/manifest.ts";
import { type Inference, openInference } from "../../src/server/inference.ts";
import { realVoices, unlessReal } from "../../testing/packages/real-weights.ts";
import { OPENING_TEXTS } from "../harness/opening-texts.ts";
import { median, type Row } from "../harness/row.ts";
import { VOICE_TEXTS } from "../harness/voice-texts.ts";
import { openDnsmos, type Scores } from "./dnsmos.ts";
import { loudnessRows, loudOf, recordLoudness } from "./loudness.ts";
import { clickOf, holesOf, speakText } from "./sound.ts";

const SHARED = fileURLToPath(new URL("../../../shared", import.meta.url));
const HUMANS = join(SHARED, "audio/speech-en");
const RECORD = fileURLToPath(new URL("voice-quality.json", import.meta.url));
/** Of the overall score: more than two runs of a voice with noise of its own differ by. */
const FALL_MAX = 0.1;
const JUMP_MAX = 1.5;

type Score = (samples: Float32Array) => Promise<Scores>;

export async function benchQuality(): Promise<Row[]> {
  const score = await openDnsmos();
  if (!score) return [{ name: "DNSMOS: its model is not here", value: 0, unit: "runs" }];
  const missing = unlessReal("piper", "kokoro");
  const config = readConfig(missing === "" ? { ...Bun.env, LOQUAT_WEIGHTS: realVoices() } : Bun.env);
  await using engines = openInference(config);
  const humans: Scores[] = [];
  for (const name of readdirSync(HUMANS).filter((name) => name.endsWith(".wav"))) {
    humans.push(await score(await samplesOf(engines, readFileSync(join(HUMANS, name)))));
  }
  const rows = rowsOf("people, to compare with", humans);
  if (missing !== "") rows.push({ name: `published voices${missing}`, value: 0, unit: "voices" });
  const recorded: Record<string, number> = JSON.parse(readFileSync(RECORD, "utf8"));
  const measured: Record<string, number> = {};
  const loud: { voice: Voice; lufs: number }[] = [];
  for (const voice of engines.catalogue.voices.filter((voice) => textsOf(voice).length > 0)) {
    const assessed = isAssessed(voice, engines) ? await assess(engines, voice, score) : null;
    if (assessed) {
      measured[voice.id] = Number(median(assessed.scores.map(({ overall }) => overall)).toFixed(3));
      rows.push(...guarded(voice, assessed, recorded[voice.id]));
    }
    const spoke = loudOf(assessed?.clips ?? (await someClips(engines, voice)));
    loud.push({ voice, lufs: spoke.lufs });
    rows.push(...loudnessRows(nameOf(voice), spoke));
  }
  const unknown = Object.keys(measured).filter((id) => recorded[id] === undefined);
  rows.push({
    name: "voices without a recorded figure",
    value: unknown.length,
    unit: "",
    target: "at most 0",
  });
  if (Bun.env.BENCH_QUALITY === "record") {
    writeFileSync(RECORD, `${JSON.stringify({ ...recorded, ...measured }, null, 2)}\n`);
    recordLoudness(engines, config.models.weights, loud);
  }
  return rows;
}

/** Of a package the first, as all of its voices share a graph. */
const isAssessed = (voice: Voice, { catalogue: { voices } }: Inference): boolean =>
  isEmbedded(voice.engine) || voices.find(({ engine }) => engine === voice.engine) === voice;

const nameOf = ({ id, engine, speaker }: Voice): string => `${id} (${engine} ${speaker})`;

const SOME = 6; // texts, for the loudness of a voice that is not assessed

async function someClips(engines: Inference, voice: Voice): Promise<Float32Array[]> {
  const clips: Float32Array[] = [];
  for (const text of textsOf(voice).slice(0, SOME))
    clips.push((await speakText(engines, voice, { text })).samples);
  return clips;
}

const textsOf = ({ language }: Voice): string[] =>
  language === "en" ? VOICE_TEXTS : (OPENING_TEXTS[language] ?? []);

type Assessed = { clips: Float32Array[]; scores: Scores[]; click: number; holes: number };

async function assess(engines: Inference, voice: Voice, score: Score): Promise<Assessed> {
  const assessed: Assessed = { clips: [], scores: [], click: 0, holes: 0 };
  for (const text of textsOf(voice)) {
    const spoken = await speakText(engines, voice, { text });
    assessed.clips.push(spoken.samples);
    assessed.scores.push(await score(resample(spoken.samples, TTS_SAMPLE_RATE, ASR_SAMPLE_RATE)));
    assessed.click = Math.max(assessed.click, clickOf(spoken));
    assessed.holes += holesOf(spoken, isEmbedded(voice.engine) ? "rules" : "model");
  }
  return assessed;
}

function guarded(voice: Voice, { scores, click, holes }: Assessed, recorded: number | undefined): Row[] {
  const name = nameOf(voice);
  const rows = rowsOf(name, scores);
  if (recorded !== undefined) rows.at(-1)!.target = `at least ${(recorded - FALL_MAX).toFixed(3)}`;
  return [
    ...rows,
    { name: `greatest jump at a join, ${name}`, value: click, unit: "times", target: `at most ${JUMP_MAX}` },
    { name: `holes of zeros within speech, ${name}`, value: holes, unit: "", target: "at most 0" },
  ];
}

function rowsOf(name: string, scores: Scores[]): Row[] {
  return (["signal", "background", "overall"] as const).map((kind) => ({
    name: `DNSMOS ${kind}, ${name}`,
    value: median(scores.map((score) => score[kind])),
    unit: "of 5",
  }));
}

async function samplesOf({ decoder }: Inference, bytes: Uint8Array): Promise<Float32Array> {
  const decoded = await decoder.decode(bytes, soleClaim());
  if ("refusal" in decoded) throw new Error(decoded.message);
  return decoded.samples;
}
