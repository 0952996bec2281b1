/**
 * Canary's encoder: the features of several spans in one run, to rows of hidden states, one for every 80 ms.
 *
 *   of sherpa-onnx   x [B, T, 128], x_len [B]               ──> enc_states [B, T/8, d], enc_len [B]
 *   of onnx-asr      audio_signal [B, 128, T], length [B]   ──> encoder_embeddings [B, T/8, d], encoder_mask [B, T/8]
 */
import type { Placement } from "../../../src/engine/protocol/engine-data.ts";
import type { Features } from "../../features/frames.ts";
import { type Graph, type Outputs, openGraph, type Signature } from "../../onnx/session.ts";
import { transpose } from "../../onnx/tensors.ts";
import { rounded } from "../../onnx/warmup.ts";

export const MELS = 128;
const FRAMES_STEP = 100;

/** Hidden states [count, width] of a span. */
export type Hidden = { rows: Float32Array; count: number; width: number };

export type CanaryEncoder = (spans: Features[]) => Promise<Hidden[]>;

type Layout = {
  signature: Signature;
  signal: string;
  length: string;
  states: string;
  /** Whether its frames come before its mels. */
  framesFirst: boolean;
  /** How many rows of each span are not padding. */
  counts: (outputs: Outputs) => number[];
};

const FRAMES_FIRST: Layout = {
  signature: {
    inputs: { x: { type: "float32", shape: [null, null, MELS] }, x_len: { type: "int64", shape: [null] } },
    outputs: {
      enc_states: { type: "float32", shape: [null, null, null] },
      enc_len: { type: "int64", shape: [null] },
    },
  },
  signal: "x",
  length: "x_len",
  states: "enc_states",
  framesFirst: true,
  counts: ({ enc_len }) => Array.from(enc_len!.data as BigInt64Array, Number),
};

const MELS_FIRST: Layout = {
  signature: {
    inputs: {
      audio_signal: { type: "float32", shape: [null, MELS, null] },
      length: { type: "int64", shape: [null] },
    },
    outputs: {
      encoder_embeddings: { type: "float32", shape: [null, null, null] },
      encoder_mask: { type: "int64", shape: [null, null] },
    },
  },
  signal: "audio_signal",
  length: "length",
  states: "encoder_embeddings",
  framesFirst: false,
  counts: ({ encoder_mask }) => rowSums(encoder_mask!),
};

/** `isBatched`: of the export whose decoder takes many sequences at once. */
export async function openEncoder(
  path: string,
  isBatched: boolean,
  placement: Placement,
): Promise<CanaryEncoder> {
  const layout = isBatched ? MELS_FIRST : FRAMES_FIRST;
  const graph = await openGraph(path, layout.signature, placement);
  return async (spans) => {
    const longest = Math.max(1, ...spans.map(({ frames }) => frames));
    const outputs = await graph.session.run(
      feedsOf(graph, layout, { spans, longest: rounded(placement, longest, FRAMES_STEP) }),
    );
    return hiddenIn(outputs, layout);
  };
}

function feedsOf(
  { Tensor }: Graph,
  { signal, length, framesFirst }: Layout,
  { spans, longest }: { spans: Features[]; longest: number },
) {
  const values = new Float32Array(spans.length * longest * MELS);
  for (const [index, { frames, rows }] of spans.entries())
    values.set(
      framesFirst ? rows : transpose(rows, { rows: frames, columns: MELS, width: longest }),
      index * longest * MELS,
    );
  const shape = framesFirst ? [longest, MELS] : [MELS, longest];
  const lengths = BigInt64Array.from(spans, ({ frames }) => BigInt(frames));
  return {
    [signal]: new Tensor("float32", values, [spans.length, ...shape]),
    [length]: new Tensor("int64", lengths, [spans.length]),
  };
}

function hiddenIn(outputs: Outputs, { states, counts }: Layout): Hidden[] {
  const { data, dims } = outputs[states]!;
  const [, longest, width] = dims as [number, number, number];
  return counts(outputs).map((count, index) => {
    const from = index * longest * width;
    return { rows: (data as Float32Array).slice(from, from + count * width), count, width };
  });
}

function rowSums({ data, dims }: Outputs[string]): number[] {
  const [rows, columns] = dims as [number, number];
  const flags = Array.from(data as BigInt64Array, Number);
  return Array.from({ length: rows }, (_, row) =>
    flags.slice(row * columns, (row + 1) * columns).reduce((sum, flag) => sum + flag, 0),
  );
}
