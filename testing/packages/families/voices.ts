/**
 * Small voices with the signatures of the published exports, whose sound means nothing but whose length does: each
 * phoneme lasts as its number says, so what must come out is known beforehand.
 */
import { type Graph, type Value, writeOnnx } from "../../onnx.ts";
import type { Contents } from "../model-store.ts";
import { openRandom, weights } from "../random.ts";

const float = (name: string, value: number) => ({ name, shape: [1], values: Float32Array.of(value) });
const integer = (name: string, value: number) => ({
  name,
  shape: [1],
  values: BigInt64Array.of(BigInt(value)),
});
const scalar = (name: string, value: number) => ({
  name,
  shape: [],
  values: BigInt64Array.of(BigInt(value)),
});

/** A tone as long as `length` says, its pitch by `tone`: both of one value. */
export function toneNodes(output: string): Graph["nodes"] {
  return [
    { op: "Squeeze", inputs: ["length", "zero"], outputs: ["samples"] },
    { op: "Range", inputs: ["start", "samples", "step"], outputs: ["places"] },
    { op: "Cast", inputs: ["places"], outputs: ["times"], attributes: { to: 1 } },
    { op: "Mul", inputs: ["times", "tone"], outputs: ["phases"] },
    { op: "Sin", inputs: ["phases"], outputs: ["loud"] },
    { op: "Mul", inputs: ["loud", "volume"], outputs: [output] },
  ];
}
export const TONE = [scalar("start", 0), scalar("step", 1), integer("zero", 0), float("volume", 0.3)];

const KOKORO_FRAME = 600;
export const kokoroFrames = (ids: number[], speed = 1) =>
  ids.reduce((sum, id) => sum + Math.max(1, Math.round(((id % 5) + 1) / speed)), 0);

const KOKORO_INPUTS: Graph["inputs"] = [
  { name: "input_ids", type: "int64", shape: [1, "T"] },
  { name: "style", type: "float32", shape: [1, 256] },
  { name: "speed", type: "float32", shape: [1] },
];

/** Durations of a phoneme: its id modulo five, and one more, by the speed. */
export const durationNodes = (output: string): Graph["nodes"] => [
  { op: "Mod", inputs: ["input_ids", "five"], outputs: ["counted"] },
  { op: "Cast", inputs: ["counted"], outputs: ["slow"], attributes: { to: 1 } },
  { op: "Add", inputs: ["slow", "one"], outputs: ["natural"] },
  { op: "Div", inputs: ["natural", "speed"], outputs: ["paced"] },
  { op: "Round", inputs: ["paced"], outputs: ["whole"] },
  { op: "Max", inputs: ["whole", "one"], outputs: ["least"] },
  { op: "Cast", inputs: ["least"], outputs: ["each"], attributes: { to: 7 } },
  { op: "Squeeze", inputs: ["each", "zero"], outputs: [output] },
];
export const durationSizes = () => [integer("five", 5), float("one", 1), integer("frame", KOKORO_FRAME)];

/** As kokoro-onnx names its ports, or as onnx-community does. */
export function kokoroGraph(isKokoroOnnx = false): Uint8Array {
  const [ids, style, speed] = KOKORO_INPUTS as [Value, Value, Value];
  const inputs = isKokoroOnnx ? [{ ...ids, name: "tokens" }, style, speed] : KOKORO_INPUTS;
  return writeOnnx({
    inputs,
    outputs: [
      isKokoroOnnx
        ? { name: "audio", type: "float32", shape: ["N"] }
        : { name: "waveform", type: "float32", shape: [1, "N"] },
    ],
    nodes: [
      ...(isKokoroOnnx ? [{ op: "Identity", inputs: ["tokens"], outputs: ["input_ids"] }] : []),
      ...durationNodes("durations"),
      { op: "ReduceSum", inputs: ["durations"], outputs: ["frames"], attributes: { keepdims: 1 } },
      { op: "Mul", inputs: ["frames", "frame"], outputs: ["length"] },
      { op: "ReduceMean", inputs: ["style"], outputs: ["tone"], attributes: { axes: [0, 1], keepdims: 0 } },
      ...toneNodes(isKokoroOnnx ? "audio" : "wave"),
      ...(isKokoroOnnx ? [] : [{ op: "Unsqueeze", inputs: ["wave", "zero"], outputs: ["waveform"] }]),
    ],
    constants: [...durationSizes(), ...TONE],
  });
}

export function kokoroDurations(): Uint8Array {
  return writeOnnx({
    inputs: KOKORO_INPUTS,
    outputs: [{ name: "durations", type: "int64", shape: ["T"] }],
    nodes: durationNodes("durations"),
    constants: [integer("five", 5), float("one", 1), integer("zero", 0)],
  });
}

/** Rows of a style, each another tone. */
export const kokoroVoice = (seed = 1) =>
  new Uint8Array(
    Float32Array.from({ length: 510 * 256 }, (_, at) => 0.02 + 0.0001 * (at >> 8) + seed / 1000).buffer,
  );

export const kokoroContents = (): Contents => ({
  model: { path: "onnx/model.onnx", bytes: kokoroGraph() },
  durations: { path: "onnx/durations.onnx", bytes: kokoroDurations() },
  "voice-af_heart": { path: "voices/af_heart.bin", bytes: kokoroVoice() },
  "voice-am_michael": { path: "voices/am_michael.bin", bytes: kokoroVoice(2) },
});

const PIPER_LETTERS = [..."_^$ abcdefghijklmnopqrstuvwxyzɐɑɒæəɛɜɪʊʌŋðθʃʒˈˌː.,!?çøyʏɾɡɔʁ\u0327"];

export const piperVoice = () => ({
  audio: { sample_rate: 22_050 },
  espeak: { voice: "de" },
  inference: { noise_scale: 0.667, length_scale: 1, noise_w: 0.8 },
  phoneme_id_map: Object.fromEntries(PIPER_LETTERS.map((letter, at) => [letter, [at]])),
  num_speakers: 1,
});

/** Hops of an id: its number modulo three, and one more, by the length scale, rounded up. */
export const piperHops = (id: number, slowness = 1) => Math.ceil(Math.fround(((id % 3) + 1) * slowness));

/** 256 samples a hop. */
export const piperContents = (): Contents => ({
  model: {
    path: "voice.onnx",
    bytes: writeOnnx({
      inputs: [
        { name: "input", type: "int64", shape: ["B", "T"] },
        { name: "input_lengths", type: "int64", shape: ["B"] },
        { name: "scales", type: "float32", shape: [3] },
      ],
      outputs: [{ name: "output", type: "float32", shape: ["B", 1, 1, "N"] }],
      nodes: [
        { op: "Gather", inputs: ["scales", "one"], outputs: ["slowness"] },
        { op: "Squeeze", inputs: ["input", "zero"], outputs: ["ids"] },
        { op: "Mod", inputs: ["ids", "three"], outputs: ["counted"] },
        { op: "Cast", inputs: ["counted"], outputs: ["short"], attributes: { to: 1 } },
        { op: "Add", inputs: ["short", "least"], outputs: ["natural"] },
        { op: "Mul", inputs: ["natural", "slowness"], outputs: ["paced"] },
        { op: "Ceil", inputs: ["paced"], outputs: ["hops"] },
        { op: "ReduceSum", inputs: ["hops"], outputs: ["all"], attributes: { keepdims: 1 } },
        { op: "Mul", inputs: ["all", "hop"], outputs: ["long"] },
        { op: "Cast", inputs: ["long"], outputs: ["length"], attributes: { to: 7 } },
        ...toneNodes("wave"),
        { op: "Unsqueeze", inputs: ["wave", "first"], outputs: ["output"] },
      ],
      constants: [
        integer("one", 1),
        integer("three", 3),
        float("least", 1),
        float("hop", 256),
        float("tone", 0.05),
        { name: "first", shape: [3], values: BigInt64Array.of(0n, 1n, 2n) },
        ...TONE,
      ],
      metadata: {
        model_type: "vits",
        comment: "piper",
        language: "German",
        voice: "de",
        has_espeak: "1",
        n_speakers: "1",
        sample_rate: "22050",
      },
    }),
  },
  config: { path: "voice.onnx.json", bytes: JSON.stringify(piperVoice()) },
});

const LATENT = 144;
const LATENT_FRAME = 3072;
const TEXT: Graph["inputs"] = [
  { name: "text_ids", type: "int64", shape: ["B", "T"] },
  { name: "text_mask", type: "float32", shape: ["B", 1, "T"] },
];
const TTL = { name: "style_ttl", type: "float32", shape: ["B", 50, 256] } as const;
const mutable = <T extends { shape: readonly unknown[] }>(value: T) =>
  ({ ...value, shape: [...value.shape] }) as never;

/** A sixteenth of a second for each letter that counts. */
const supertonicDurations = () =>
  writeOnnx({
    inputs: [TEXT[0]!, { name: "style_dp", type: "float32", shape: ["B", 8, 16] }, TEXT[1]!],
    outputs: [{ name: "duration", type: "float32", shape: ["B"] }],
    nodes: [
      { op: "ReduceSum", inputs: ["text_mask", "axes"], outputs: ["letters"], attributes: { keepdims: 0 } },
      { op: "Mul", inputs: ["letters", "pace"], outputs: ["duration"] },
    ],
    constants: [{ name: "axes", shape: [2], values: BigInt64Array.of(1n, 2n) }, float("pace", 0.0617)],
  });

const supertonicEncoder = () =>
  writeOnnx({
    inputs: [TEXT[0]!, mutable(TTL), TEXT[1]!],
    outputs: [{ name: "text_emb", type: "float32", shape: ["B", 4, "T"] }],
    nodes: [{ op: "Mul", inputs: ["text_mask", "four"], outputs: ["text_emb"] }],
    constants: [{ name: "four", shape: [1, 4, 1], values: Float32Array.of(1, 2, 3, 4) }],
  });

/** The step over the steps where something counts, and `kept` of the noise: with none, all of it is known. */
const supertonicEstimator = (kept: number) =>
  writeOnnx({
    inputs: [
      { name: "noisy_latent", type: "float32", shape: ["B", LATENT, "L"] },
      { name: "text_emb", type: "float32", shape: ["B", 4, "T"] },
      mutable(TTL),
      { name: "latent_mask", type: "float32", shape: ["B", 1, "L"] },
      TEXT[1]!,
      { name: "current_step", type: "float32", shape: ["B"] },
      { name: "total_step", type: "float32", shape: ["B"] },
    ],
    outputs: [{ name: "denoised_latent", type: "float32", shape: ["B", LATENT, "L"] }],
    nodes: [
      { op: "Add", inputs: ["current_step", "one"], outputs: ["done"] },
      { op: "Div", inputs: ["done", "total_step"], outputs: ["share"] },
      { op: "Unsqueeze", inputs: ["share", "axes"], outputs: ["each"] },
      { op: "Mul", inputs: ["noisy_latent", "kept"], outputs: ["noise"] },
      { op: "Mul", inputs: ["latent_mask", "each"], outputs: ["level"] },
      { op: "Add", inputs: ["noise", "level"], outputs: ["denoised_latent"] },
    ],
    constants: [
      float("one", 1),
      float("kept", kept),
      { name: "axes", shape: [2], values: BigInt64Array.of(1n, 2n) },
    ],
  });

/** Every frame a wave of 3072 samples, as loud as its first channel. */
const supertonicVocoder = () => {
  const wave = Float32Array.from(
    { length: LATENT_FRAME },
    (_, at) => Math.sin((at * 2 * Math.PI) / 96) * 0.5,
  );
  return writeOnnx({
    inputs: [{ name: "latent", type: "float32", shape: ["B", LATENT, "L"] }],
    outputs: [{ name: "wav_tts", type: "float32", shape: ["B", "N"] }],
    nodes: [
      { op: "Gather", inputs: ["latent", "channel"], outputs: ["level"], attributes: { axis: 1 } },
      { op: "Unsqueeze", inputs: ["level", "last"], outputs: ["levels"] },
      { op: "Mul", inputs: ["levels", "wave"], outputs: ["frames"] },
      { op: "Reshape", inputs: ["frames", "flat"], outputs: ["wav_tts"] },
    ],
    constants: [
      scalar("channel", 0),
      integer("last", -1),
      { name: "wave", shape: [LATENT_FRAME], values: wave },
      { name: "flat", shape: [2], values: BigInt64Array.of(0n, -1n) },
    ],
  });
};

const styleOf = (seed: number) => {
  const random = openRandom(seed);
  const tensor = (dims: number[]) => ({
    dims,
    data: [
      Array.from(
        weights(
          random,
          dims.reduce((all, size) => all * size),
          1,
        ),
      ),
    ],
    type: "float32",
  });
  return JSON.stringify({ style_ttl: tensor([1, 50, 256]), style_dp: tensor([1, 8, 16]) });
};

/** Ids of the letters below U+0400; nothing above is known. */
export const SUPERTONIC_TABLE = Array.from({ length: 0x400 }, (_, at) => (at >= 32 ? at - 31 : -1));
const SUPERTONIC_SETTINGS = {
  ae: { sample_rate: 44_100, base_chunk_size: 512 },
  ttl: { chunk_compress_factor: 6, latent_dim: 24 },
};

/** `noiseKept`: how much of the noise is heard. */
export const supertonicContents = (noiseKept = 0): Contents => ({
  durations: { path: "onnx/duration_predictor.onnx", bytes: supertonicDurations() },
  encoder: { path: "onnx/text_encoder.onnx", bytes: supertonicEncoder() },
  estimator: { path: "onnx/vector_estimator.onnx", bytes: supertonicEstimator(noiseKept) },
  vocoder: { path: "onnx/vocoder.onnx", bytes: supertonicVocoder() },
  settings: { path: "onnx/tts.json", bytes: JSON.stringify(SUPERTONIC_SETTINGS) },
  indexer: { path: "onnx/unicode_indexer.json", bytes: JSON.stringify(SUPERTONIC_TABLE) },
  "voice-F1": { path: "voice_styles/F1.json", bytes: styleOf(1) },
});
