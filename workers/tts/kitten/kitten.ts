/**
 * The engine of the family `kitten`: KittenTTS, small English voices of 24 kHz of Kokoro's architecture.
 *
 *   phonemes ──ids: 0, …, 10, 0──> input_ids [1, T]   style [1, 256]: a voice's row by the length of the text   speed [1]
 *   waveform: 600 samples for each frame of duration, of which the last 5000 are no speech
 *
 * Exports that also return their durations tell when words are heard. Source: KittenML/KittenTTS.
 */
import { readFileSync } from "node:fs";
import { workerData } from "piscina";
import { readJsonFile } from "../../../src/engine/families/json-file.ts";
import type { EngineData } from "../../../src/engine/protocol/engine-data.ts";
import type { SynthesisResult, SynthesisTask } from "../../../src/engine/protocol/synthesis.ts";
import { readNpz } from "../../../src/numpy/npz.ts";
import { openGraph } from "../../onnx/session.ts";
import { warmUp } from "../../onnx/warmup.ts";
import { finish, finishWithLength, joined, paceOf } from "../postprocess.ts";
import { inTurn } from "../runs.ts";
import { boundariesOf, type TimedRun } from "../words/boundaries.ts";
import { spokenWords } from "../words/spoken-words.ts";
import { kittenRuns, styleRow } from "./phonemes.ts";
import { SETTINGS } from "./settings.ts";

const RATE = 24_000;
const FRAME = 600; // samples of one frame of duration
const STYLE = 256;
const SPEEDS = { min: 0.5, max: 2 };
const [START, END] = [[0], [10, 0]];
const TAIL = 5000; // samples after the last sound
const SPACE = 16;

const { files, placement } = workerData as EngineData;
const { voice_aliases = {}, speed_priors = {} } = readJsonFile(files.settings!, SETTINGS);
const voices = readNpz(readFileSync(files.voices!));
for (const [name, { shape }] of voices)
  if (shape.length !== 2 || shape[1] !== STYLE)
    throw new Error(`this is another model: voice ${name} has no styles`);
const { session, Tensor } = await openGraph(
  files.model!,
  {
    inputs: {
      input_ids: { type: "int64", shape: [1, null] },
      style: { type: "float32", shape: [1, STYLE] },
      speed: { type: "float32", shape: [1] },
    },
    outputs: { waveform: { type: "float32", shape: null } },
  },
  placement,
);

await warmUp(placement, [64, 128, 256, 509], async (count) => {
  const [speaker] = voices.keys();
  if (speaker !== undefined) await run(new Array(count).fill(SPACE), { speaker, row: 0, speed: 1 });
});

export default async function synthesize(task: SynthesisTask): Promise<SynthesisResult> {
  const runs = kittenRuns(task.phonemes ?? "");
  if (runs.length === 0) return task.length === "measure" ? 0 : new Float32Array(0);
  const pace = paceOf(task, SPEEDS);
  const row = styleRow(task.text, rowsOf(task.speaker).shape[0]!);
  const spoken = await inTurn(runs, task, async ({ ids, places }) => {
    const answer = await run(ids, { speaker: task.speaker, row, speed: pace.modelSpeed });
    return { ...answer, places: [...START.map(() => -1), ...places, ...END.map(() => -1)] };
  });
  const samples = joined(spoken.map((each) => each.samples));
  const boundaries = task.words ? boundariesOf(spoken, { step: FRAME }) : null;
  const words = boundaries && spokenWords(task.text, task.phonemes ?? "", boundaries);
  const synthesized = { samples, rate: RATE, words };
  if (typeof task.length === "number") return finishWithLength(synthesized, pace, task.length);
  return finish(synthesized, pace);
}

type Manner = { speaker: string; row: number; speed: number };

async function run(ids: number[], { speaker, row, speed }: Manner): Promise<Omit<TimedRun, "places">> {
  const framed = BigInt64Array.from([...START, ...ids, ...END], BigInt);
  const { values } = rowsOf(speaker);
  const answer = await session.run({
    input_ids: new Tensor("int64", framed, [1, framed.length]),
    style: new Tensor("float32", values.slice(row * STYLE, (row + 1) * STYLE), [1, STYLE]),
    speed: new Tensor("float32", Float32Array.of(speed * (speed_priors[nameOf(speaker)] ?? 1)), [1]),
  });
  const wave = answer.waveform!.data as Float32Array;
  const frames = answer.duration ? Array.from(answer.duration.data as ArrayLike<unknown>, Number) : null;
  const isTimed = frames !== null && wave.length === FRAME * sumOf(frames);
  return { samples: wave.subarray(0, Math.max(0, wave.length - TAIL)), durations: isTimed ? frames : null };
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

function nameOf(speaker: string): string {
  return voice_aliases[speaker] ?? speaker;
}

function rowsOf(speaker: string) {
  const rows = voices.get(nameOf(speaker));
  if (!rows) throw new Error(`there is no voice ${speaker} in this package`);
  return rows;
}
