/**
 * The engine of the family `vits`: Piper's voices, phonemes to speech, a run for each sentence; each package is one voice,
 * or several by number.
 *
 *   sentence ──ids: ^, each phoneme followed by _, $──> input [1, T]  input_lengths [1]  scales [3]  (sid [1])
 *   sentence · 0.2 s of silence · sentence …
 *
 * The graph rounds the durations of its ids up in one place, in hops of samples: with these as a second output, the times
 * of words are known. Its output differs slightly every time: the noise is generated inside the graph.
 * Source: rhasspy/piper, and OHF-Voice/piper1-gpl for the alignments.
 */
import { workerData } from "piscina";
import { readJsonFile } from "../../../src/engine/families/json-file.ts";
import { PIPER_VOICE } from "../../../src/engine/families/piper-voice.ts";
import type { EngineData } from "../../../src/engine/protocol/engine-data.ts";
import type { SynthesisResult, SynthesisTask } from "../../../src/engine/protocol/synthesis.ts";
import { onlyOutputOf } from "../../../src/onnx/graph-nodes.ts";
import type { Signature } from "../../onnx/session.ts";
import { openTimedGraph } from "../../onnx/timed-graph.ts";
import { warmUp } from "../../onnx/warmup.ts";
import { finish, joined, paceOf } from "../postprocess.ts";
import { inTurn } from "../runs.ts";
import { boundariesOf, type TimedRun } from "../words/boundaries.ts";
import { spokenWords } from "../words/spoken-words.ts";
import { decomposed, piperIds } from "./phonemes.ts";

const SPEEDS = { min: 0.5, max: 2 };

const { files, placement } = workerData as EngineData;
const voice = readJsonFile(files.config!, PIPER_VOICE);
const HOP = voice.hop_length ?? 256; // samples of one step of duration
const SENTENCE_SILENCE = Math.round(0.2 * voice.audio.sample_rate);
const speakers = (voice.num_speakers ?? 1) > 1;
const SIGNATURE: Signature = {
  inputs: {
    input: { type: "int64", shape: [null, null] },
    input_lengths: { type: "int64", shape: [null] },
    scales: { type: "float32", shape: [3] },
    ...(speakers ? { sid: { type: "int64", shape: [null] } } : {}),
  },
  outputs: { output: { type: "float32", shape: null } },
};
const graph = await openTimedGraph(files.model!, {
  find: (nodes) => onlyOutputOf(nodes, "Ceil"),
  signature: SIGNATURE,
  placement,
});
const { session, Tensor } = graph;

await warmUp(placement, [64, 128, 256], (count) => run(new Array(count).fill(0), { speaker: "0", pace: 1 }));

export default async function synthesize(task: SynthesisTask): Promise<SynthesisResult> {
  const phonemes = task.phonemes ?? "";
  const { sentences, unknown } = piperIds(phonemes, voice);
  warnOnce(unknown);
  if (sentences.length === 0) return new Float32Array(0);
  const pace = paceOf(task, SPEEDS);
  const manner = { speaker: task.speaker, pace: pace.modelSpeed };
  const spoken = await inTurn(sentences, task, async ({ ids, places }) => ({
    ...(await run(ids, manner)),
    places,
  }));
  const samples = joined(
    spoken.map((each) => each.samples),
    SENTENCE_SILENCE,
  );
  const boundaries = task.words ? boundariesOf(spoken, { step: HOP, silence: SENTENCE_SILENCE }) : null;
  const words = boundaries && spokenWords(task.text, decomposed(phonemes), boundaries);
  return finish({ samples, rate: voice.audio.sample_rate, words }, pace);
}

let hasWarned = false;

/** Many unknown phonemes mean that the voice was trained with another version of eSpeak NG; one line says so. */
function warnOnce(unknown: Map<string, number>): void {
  if (unknown.size === 0 || hasWarned) return;
  hasWarned = true;
  const counted = [...unknown].map(([phoneme, count]) => `${phoneme} (${count})`).join(", ");
  process.emitWarning(`A Piper voice has no id for these phonemes, and leaves them out: ${counted}`);
}

type Manner = { speaker: string; pace: number };

async function run(ids: number[], { speaker, pace }: Manner): Promise<Omit<TimedRun, "places">> {
  const { noise_scale, length_scale, noise_w } = voice.inference;
  const answer = await session.run({
    input: new Tensor("int64", BigInt64Array.from(ids, BigInt), [1, ids.length]),
    input_lengths: new Tensor("int64", BigInt64Array.of(BigInt(ids.length)), [1]),
    scales: new Tensor("float32", Float32Array.of(noise_scale, length_scale / pace, noise_w), [3]),
    ...(speakers ? { sid: new Tensor("int64", BigInt64Array.of(BigInt(numberOf(speaker))), [1]) } : {}),
  });
  const durations = graph.durations === null ? null : (answer[graph.durations]!.data as Float32Array);
  return { samples: answer.output!.data as Float32Array, durations };
}

function numberOf(speaker: string): number {
  const id = voice.speaker_id_map?.[speaker] ?? Number(speaker);
  if (!Number.isInteger(id)) throw new Error(`there is no speaker ${speaker} in this package`);
  return id;
}
