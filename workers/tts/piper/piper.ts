/**
 * The engine of the family `vits`: Piper's voices, phonemes to speech in one run; each package is one voice, or several
 * by number.
 *
 *   phonemes ──ids: ^ then each with _ behind it, then $──> input [1, T]  input_lengths [1]  scales [3]  (sid [1])
 *
 * Its output differs slightly every time: the noise is generated inside the graph. Source: rhasspy/piper.
 */
import { readFileSync } from "node:fs";
import { workerData } from "piscina";
import type { EngineData } from "../../../src/engine/protocol/engine-data.ts";
import type { SynthesisResult, SynthesisTask } from "../../../src/engine/protocol/synthesis.ts";
import { openGraph, type Signature } from "../../onnx/session.ts";
import { warmUp } from "../../onnx/warmup.ts";
import { finish, paceOf } from "../postprocess.ts";
import { type PiperVoice, piperIds } from "./phonemes.ts";

const SPEEDS = { min: 0.5, max: 2 };

const { files, placement } = workerData as EngineData;
const voice: PiperVoice = JSON.parse(readFileSync(files.config!, "utf8"));
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
const { session, Tensor } = await openGraph(files.model!, SIGNATURE, placement);

await warmUp(placement, [64, 128, 256], (count) => run(new Array(count).fill(0), { speaker: "0", pace: 1 }));

export default async function synthesize(task: SynthesisTask): Promise<SynthesisResult> {
  const ids = piperIds(task.phonemes ?? "", voice);
  if (ids === null) return new Float32Array(0);
  const pace = paceOf(task, SPEEDS);
  return finish(await run(ids, { speaker: task.speaker, pace: pace.own }), voice.audio.sample_rate, pace);
}

async function run(
  ids: number[],
  { speaker, pace }: { speaker: string; pace: number },
): Promise<Float32Array> {
  const { noise_scale, length_scale, noise_w } = voice.inference;
  const { output } = await session.run({
    input: new Tensor("int64", BigInt64Array.from(ids, BigInt), [1, ids.length]),
    input_lengths: new Tensor("int64", BigInt64Array.of(BigInt(ids.length)), [1]),
    scales: new Tensor("float32", Float32Array.of(noise_scale, length_scale / pace, noise_w), [3]),
    ...(speakers ? { sid: new Tensor("int64", BigInt64Array.of(BigInt(numberOf(speaker))), [1]) } : {}),
  });
  return output!.data as Float32Array;
}

function numberOf(speaker: string): number {
  const id = voice.speaker_id_map?.[speaker] ?? Number(speaker);
  if (!Number.isInteger(id)) throw new Error(`there is no speaker ${speaker} in this package`);
  return id;
}
