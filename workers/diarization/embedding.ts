/**
 * Speaker embeddings: what a voice sounds like, as a vector whose direction differs between people.
 *
 *   samples ──Kaldi's features──less the mean of each mel, where the export asks for it──> [1, T, 80] ──> [1, width]
 *
 * Exports declare in their metadata how samples are scaled and features normalized. Source: sherpa-onnx.
 */

import { ASR_SAMPLE_RATE } from "../../src/audio/rates.ts";
import type { Placement } from "../../src/engine/protocol/engine-data.ts";
import { readModelFile } from "../../src/onnx/model-file.ts";
import type { Features } from "../features/frames.ts";
import { openGraph, type Signature } from "../onnx/session.ts";
import { FBANK_MELS, openFbank } from "./fbank.ts";

/** Empty where there is too little speech. */
export type SpeakerEmbedding = (samples: Float32Array) => Promise<Float32Array>;

/** Exports name their input and output as they like. */
const SIGNATURE: Signature = {
  inputs: {},
  outputs: {},
  more: {
    inputs: [{ type: "float32", shape: [null, null, FBANK_MELS] }],
    outputs: [{ type: "float32", shape: [null, null] }],
  },
};

const SHORT_SCALE = 32_768;
const NOTHING = new Float32Array(0);

export async function openSpeakerEmbedding(path: string, placement?: Placement): Promise<SpeakerEmbedding> {
  const { metadata } = readModelFile(path);
  const { sample_rate = String(ASR_SAMPLE_RATE), feature_normalize_type: normalization = "" } = metadata;
  if (Number(sample_rate) !== ASR_SAMPLE_RATE)
    throw new Error(`this is another model: it reads ${sample_rate.slice(0, 100)} samples a second`);
  if (normalization !== "" && normalization !== "global-mean")
    throw new Error(`this is another model: its features are normalized by ${normalization.slice(0, 100)}`);
  const fbank = openFbank(metadata.normalize_samples === "0" ? SHORT_SCALE : 1);
  const { session, Tensor } = await openGraph(path, SIGNATURE, placement);
  const [input, output] = [session.inputNames[0]!, session.outputNames[0]!];
  return async (samples) => {
    const features = fbank(samples);
    if (features.frames === 0) return NOTHING;
    if (normalization === "global-mean") subtractMeans(features);
    const tensor = new Tensor("float32", features.rows, [1, features.frames, FBANK_MELS]);
    const answer = await session.run({ [input]: tensor });
    const values = answer[output]!.data as Float32Array;
    return values.every(Number.isFinite) ? values.slice() : NOTHING;
  };
}

function subtractMeans({ frames, mels, rows }: Features): void {
  for (let mel = 0; mel < mels; mel++) {
    let sum = 0;
    for (let at = mel; at < rows.length; at += mels) sum += rows[at]!;
    const mean = sum / frames;
    for (let at = mel; at < rows.length; at += mels) rows[at]! -= mean;
  }
}
