/**
 * The engine of the family `kokoro`: phonemes and a voice's style to speech of 24 kHz, one text at a time. A text of more
 * than 510 phonemes takes several runs.
 *
 *   phonemes ──ids, 0 at both ends──> input_ids [1, T]   style [1, 256]: the voice's row for that many phonemes   speed [1]
 *   waveform: 600 samples for each frame of duration
 *
 * With the graph of durations installed, the length of a text is known before it is synthesized.
 * Source: hexgrad/kokoro.
 */
import { readFileSync } from "node:fs";
import { workerData } from "piscina";
import type { EngineData } from "../../../src/engine/protocol/engine-data.ts";
import type { SynthesisResult, SynthesisTask } from "../../../src/engine/protocol/synthesis.ts";
import { type Graph, nameOf, openGraph, type Signature } from "../../onnx/session.ts";
import { warmUp } from "../../onnx/warmup.ts";
import { finish, finishWithLength, joined, paceOf } from "../postprocess.ts";
import { kokoroRuns } from "./phonemes.ts";

const RATE = 24_000;
const FRAME = 600; // samples of one frame of duration
const STYLE = 256;
const SPEEDS = { min: 0.5, max: 2 };
const PREFIX = "voice-";
const SPACE = 16;

const INPUTS: Signature["inputs"] = {
  "input_ids|tokens": { type: "int64", shape: [null, null] },
  style: { type: "float32", shape: [null, STYLE] },
  speed: { type: "float32", shape: [1] },
};

const { files, placement } = workerData as EngineData;
const speech = await openGraph(
  files.model!,
  { inputs: INPUTS, outputs: { "waveform|audio": { type: "float32", shape: null } } },
  placement,
);
const durations = files.durations
  ? await openGraph(
      files.durations,
      { inputs: INPUTS, outputs: { "durations|duration": { type: "int64", shape: null } } },
      placement,
    )
  : null;
const voices = new Map(
  Object.entries(files)
    .filter(([role]) => role.startsWith(PREFIX))
    .map(([role, path]) => [role.slice(PREFIX.length), styleOf(path!)]),
);

await warmUp(placement, [64, 128, 256, 510], (count) => {
  const [speaker] = voices.keys();
  return speaker === undefined
    ? Promise.resolve()
    : run(speech, new Array(count).fill(SPACE), { speaker, speed: 1 });
});

export default async function synthesize(task: SynthesisTask): Promise<SynthesisResult> {
  const runs = kokoroRuns(task.phonemes ?? "");
  if (runs.length === 0) return task.length === "measure" ? 0 : new Float32Array(0);
  const pace = paceOf(task, SPEEDS);
  const manner = { ...task, speed: pace.modelSpeed };
  if (task.length === "measure" && durations) {
    let frames = 0;
    for (const ids of runs) frames += sumOf(await run(durations, ids, manner));
    return FRAME * frames;
  }
  const parts: Float32Array[] = [];
  for (const ids of runs) parts.push((await run(speech, ids, manner)) as Float32Array);
  const samples = joined(parts);
  if (typeof task.length === "number") return finishWithLength(samples, RATE, task.length);
  return finish(samples, RATE, pace);
}

type Manner = Pick<SynthesisTask, "speaker" | "speed">;

async function run({ session, Tensor }: Graph, ids: number[], { speaker, speed }: Manner) {
  const padded = BigInt64Array.from([0, ...ids, 0], BigInt);
  const answer = await session.run({
    [nameOf(session.inputNames, "input_ids|tokens")]: new Tensor("int64", padded, [1, padded.length]),
    style: new Tensor("float32", rowOf(speaker, ids.length), [1, STYLE]),
    speed: new Tensor("float32", Float32Array.of(speed), [1]),
  });
  return answer[nameOf(session.outputNames, "waveform|audio|durations|duration")]!.data;
}

const sumOf = (frames: ArrayLike<unknown>) => Array.from(frames, Number).reduce((sum, each) => sum + each, 0);

function rowOf(speaker: string, count: number): Float32Array {
  const rows = voices.get(speaker);
  if (!rows) throw new Error(`there is no voice ${speaker} in this package`);
  const row = Math.min(count - 1, rows.length / STYLE - 1);
  return rows.subarray(row * STYLE, (row + 1) * STYLE);
}

function styleOf(path: string): Float32Array {
  const bytes = readFileSync(path);
  return new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length >> 2);
}
