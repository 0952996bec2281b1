/**
 * The engine of the family `kokoro`: phonemes and a voice's style to speech of 24 kHz, one text at a time. A text of more
 * than 510 phonemes takes several runs.
 *
 *   phonemes ──ids, 0 at both ends──> input_ids [1, T]   style [1, 256]: the voice's row for that many phonemes   speed [1]
 *   waveform: 600 samples for each frame of duration
 *
 * With the graph of durations installed, the length of a text is known before it is synthesized. The whole graph returns
 * its durations too, which are the times of words: what an id lasts begins where the ids before it end.
 * Source: hexgrad/kokoro.
 */
import { readFileSync } from "node:fs";
import { workerData } from "piscina";
import type { EngineData } from "../../../src/engine/protocol/engine-data.ts";
import type { SynthesisResult, SynthesisTask } from "../../../src/engine/protocol/synthesis.ts";
import { findDurations } from "../../../src/onnx/graph-nodes.ts";
import { type Graph, nameOf, type Outputs, openGraph, type Signature } from "../../onnx/session.ts";
import { openTimedGraph } from "../../onnx/timed-graph.ts";
import { warmUp } from "../../onnx/warmup.ts";
import { finish, finishWithLength, joined, paceOf } from "../postprocess.ts";
import { inTurn } from "../runs.ts";
import { boundariesOf, type TimedRun } from "../words/boundaries.ts";
import { spokenWords } from "../words/spoken-words.ts";
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
const speech = await openTimedGraph(files.model!, {
  find: findDurations,
  signature: { inputs: INPUTS, outputs: { "waveform|audio": { type: "float32", shape: null } } },
  placement,
});
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
    const frames = await inTurn(runs, task, async ({ ids }) =>
      sumOf(dataOf(durations, await run(durations, ids, manner))),
    );
    return FRAME * sumOf(frames);
  }
  const spoken = await inTurn(runs, task, async ({ ids, places }): Promise<TimedRun> => {
    const answer = await run(speech, ids, manner);
    return {
      samples: dataOf(speech, answer) as Float32Array,
      places: [-1, ...places, -1], // an id of padding stands at both ends
      durations: speech.durations === null ? null : dataIn(answer, speech.durations),
    };
  });
  const boundaries = task.words ? boundariesOf(spoken, { step: FRAME }) : null;
  const words = boundaries && spokenWords(task.text, task.phonemes ?? "", boundaries);
  const synthesized = { samples: joined(spoken.map(({ samples }) => samples)), rate: RATE, words };
  if (typeof task.length === "number") return finishWithLength(synthesized, pace, task.length);
  return finish(synthesized, pace);
}

type Manner = Pick<SynthesisTask, "speaker" | "speed" | "blend">;

async function run({ session, Tensor }: Graph, ids: number[], manner: Manner): Promise<Outputs> {
  const padded = BigInt64Array.from([0, ...ids, 0], BigInt);
  return session.run({
    [nameOf(session.inputNames, "input_ids|tokens")]: new Tensor("int64", padded, [1, padded.length]),
    style: new Tensor("float32", styleFor(manner, ids.length), [1, STYLE]),
    speed: new Tensor("float32", Float32Array.of(manner.speed), [1]),
  });
}

const dataIn = (answer: Outputs, name: string) => answer[name]!.data as ArrayLike<unknown>;

const dataOf = ({ session }: Graph, answer: Outputs) =>
  dataIn(answer, nameOf(session.outputNames, "waveform|audio|durations|duration"));

const sumOf = (frames: ArrayLike<unknown>) => Array.from(frames, Number).reduce((sum, each) => sum + each, 0);

/** A blend is the weighted mean of its voices' styles. */
function styleFor({ speaker, blend }: Manner, count: number): Float32Array {
  if (!blend) return rowOf(speaker, count);
  const mixed = new Float32Array(STYLE);
  for (const part of blend) {
    const row = rowOf(part.speaker, count);
    for (let index = 0; index < STYLE; index++) mixed[index]! += part.weight * row[index]!;
  }
  return mixed;
}

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
