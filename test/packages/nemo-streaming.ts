/** A small cache-aware model of NeMo's streaming layout, with the signature and metadata of the published exports. */
import { writeOnnx } from "../onnx.ts";
import { graph, MELS, metadataOf, PLACES, SUBSAMPLING, wordsOf } from "./nemo.ts";
import { nemoDecoder, nemoJoiner } from "./nemo-search.ts";
import { SMALL } from "./nemo-sizes.ts";
import { openRandom, weights } from "./random.ts";

const CHANNEL = [2, 4, 6];
const TIME = [2, 6, 3];
export const STREAMING = { mels: MELS, subsampling: SUBSAMPLING, shift: 16, lookback: 9 };
const frames = STREAMING.shift / SUBSAMPLING;

/**
 * A cache-aware encoder. What a frame comes to depends on how many came before it, which goes from window to window as
 * the length of a cache; the caches themselves fade, and lean on it a little.
 */
function nemoStreamingEncoder({
  seed = 1,
  prompts = false,
}: {
  seed?: number;
  prompts?: boolean;
} = {}): Uint8Array {
  const metadata = {
    ...metadataOf({}),
    normalize_type: "",
    window_size: String(STREAMING.shift + STREAMING.lookback),
    chunk_shift: String(STREAMING.shift),
    ...Object.fromEntries(CHANNEL.map((size, at) => [`cache_last_channel_dim${at + 1}`, String(size)])),
    ...Object.fromEntries(TIME.map((size, at) => [`cache_last_time_dim${at + 1}`, String(size)])),
    ...(prompts ? { prompt_dictionary: JSON.stringify({ auto: 3, "en-US": 0, "de-DE": 1 }) } : {}),
  };
  return writeOnnx({
    inputs: [
      { name: "audio_signal", type: "float32", shape: ["B", MELS, "W"] },
      { name: "length", type: "int64", shape: ["B"] },
      { name: "cache_last_channel", type: "float32", shape: ["B", ...CHANNEL] },
      { name: "cache_last_time", type: "float32", shape: ["B", ...TIME] },
      { name: "cache_last_channel_len", type: "int64", shape: ["B"] },
      ...(prompts ? [{ name: "prompt_index", type: "int64" as const, shape: ["B"] }] : []),
    ],
    outputs: [
      { name: "outputs", type: "float32", shape: ["B", SMALL.size, "T"] },
      { name: "encoded_lengths", type: "int64", shape: ["B"] },
      { name: "cache_last_channel_next", type: "float32", shape: ["B", ...CHANNEL] },
      { name: "cache_last_time_next", type: "float32", shape: ["B", ...TIME] },
      { name: "cache_last_channel_next_len", type: "int64", shape: ["B"] },
    ],
    nodes: NODES,
    constants: constantsOf(seed),
    metadata,
  });
}

const NODES: Parameters<typeof writeOnnx>[0]["nodes"] = [
  { op: "Unsqueeze", inputs: ["cache_last_channel_len", "one"], outputs: ["before"] }, // [B, 1]
  { op: "Add", inputs: ["before", "steps"], outputs: ["places"] }, // [B, T]
  { op: "Mod", inputs: ["places", "most"], outputs: ["wrapped"] },
  { op: "Gather", inputs: ["table", "wrapped"], outputs: ["looked_up"] }, // [B, T, D]
  { op: "Transpose", inputs: ["looked_up"], outputs: ["turned"], attributes: { perm: [0, 2, 1] } },
  {
    op: "ReduceMean",
    inputs: ["cache_last_time"],
    outputs: ["mean"],
    attributes: { axes: [1, 2, 3], keepdims: 0 },
  },
  { op: "Unsqueeze", inputs: ["mean", "both"], outputs: ["leaning"] },
  { op: "Add", inputs: ["turned", "leaning"], outputs: ["outputs"] },
  { op: "Div", inputs: ["length", "eight"], outputs: ["encoded_lengths"] },
  { op: "Add", inputs: ["cache_last_channel", "little"], outputs: ["cache_last_channel_next"] },
  { op: "Mul", inputs: ["cache_last_time", "half"], outputs: ["faded"] },
  { op: "Add", inputs: ["faded", "little"], outputs: ["cache_last_time_next"] },
  { op: "Add", inputs: ["cache_last_channel_len", "step"], outputs: ["cache_last_channel_next_len"] },
];

const constantsOf = (seed: number): NonNullable<Parameters<typeof writeOnnx>[0]["constants"]> => [
  { name: "one", shape: [1], values: BigInt64Array.of(1n) },
  {
    name: "steps",
    shape: [1, frames],
    values: BigInt64Array.from({ length: frames }, (_, at) => BigInt(at)),
  },
  { name: "most", shape: [1], values: BigInt64Array.of(BigInt(PLACES)) },
  {
    name: "table",
    shape: [PLACES, SMALL.size],
    values: weights(openRandom(seed + 9), PLACES * SMALL.size, 1.5),
  },
  { name: "both", shape: [2], values: BigInt64Array.of(1n, 2n) },
  { name: "eight", shape: [1], values: BigInt64Array.of(8n) },
  { name: "half", shape: [1], values: Float32Array.of(0.5) },
  { name: "little", shape: [1], values: Float32Array.of(0.1) },
  { name: "step", shape: [1], values: BigInt64Array.of(BigInt(frames)) },
];

export const streamingContents = (model: { seed?: number; prompts?: boolean } = {}) => ({
  encoder: graph("encoder", nemoStreamingEncoder(model)),
  decoder: graph("decoder", nemoDecoder(model)),
  joiner: graph("joiner", nemoJoiner(model)),
  vocabulary: wordsOf(),
});
