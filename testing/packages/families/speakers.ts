/**
 * Small graphs of segmentation and of speaker embeddings, with the published ports and metadata, for recordings in which
 * each speaker is two quiet tones in turn, above what a telephone carries.
 *
 *   segmentation   how strong the tones are in the 991 samples of a frame: above a half, their speaker is active
 *   embedding      how much the mels of each speaker's tones vary, as a direction
 */
import { ASR_SAMPLE_RATE } from "../../../src/audio/rates.ts";
import { type Graph, writeOnnx } from "../../onnx.ts";
import type { Contents } from "../model-store.ts";
import { metadataOf, portsOf, published } from "../published.ts";
import { openRandom, weights } from "../random.ts";

/** The tones of three speakers, in Hz, how loud they are, and the samples after which the other one sounds. */
const TONES = [5200, 5500, 6100, 6400, 7000, 7300];
const TONE_LEVEL = 0.02;
const TONE_SAMPLES = 1600;
const SPEAKERS = 3;

const FIELD = 991; // samples of a frame
const SHIFT = 270;

/** A sample of a speaker's tones. */
function toneOf(speaker: number, at: number): number {
  const hertz = TONES[2 * speaker + (Math.floor(at / TONE_SAMPLES) % 2)]!;
  return TONE_LEVEL * Math.sin((2 * Math.PI * hertz * at) / ASR_SAMPLE_RATE);
}

/** The sums over a frame that tell the tones: a sine and a cosine each, so that the phase makes no difference. */
function kernel(): Float32Array {
  const values = new Float32Array(2 * TONES.length * FIELD);
  for (const [tone, hertz] of TONES.entries())
    for (let at = 0; at < FIELD; at++) {
      const angle = (2 * Math.PI * hertz * at) / ASR_SAMPLE_RATE;
      const scale = 2 / (FIELD * TONE_LEVEL); // a whole tone has the power one
      values[2 * tone * FIELD + at] = scale * Math.sin(angle);
      values[(2 * tone + 1) * FIELD + at] = scale * Math.cos(angle);
    }
  return values;
}

const HALF = 0.25; // the power of half a tone
/** By class and speaker, in the published order. */
const CLASSES = [[], [0], [1], [2], [0, 1], [0, 2], [1, 2]];

export function segmentationGraph(): Graph {
  const signature = published("pyannote", "pyannote-segmentation-3.0").graph("model")!;
  const waves = 2 * TONES.length;
  const sums = Float32Array.from({ length: SPEAKERS * waves }, (_, index) =>
    Number(Math.floor((index % waves) / 4) === Math.floor(index / waves)),
  );
  const scores = Float32Array.from({ length: SPEAKERS * CLASSES.length }, (_, index) =>
    Number(CLASSES[index % CLASSES.length]!.includes(Math.floor(index / CLASSES.length))),
  );
  return {
    ...portsOf(signature),
    metadata: metadataOf(signature),
    nodes: [
      {
        op: "Conv",
        inputs: ["x", "kernel"],
        outputs: ["waves"],
        attributes: { kernel_shape: [FIELD], strides: [SHIFT] },
      },
      { op: "Mul", inputs: ["waves", "waves"], outputs: ["squares"] },
      { op: "Conv", inputs: ["squares", "sums"], outputs: ["powers"], attributes: { kernel_shape: [1] } },
      { op: "Sub", inputs: ["powers", "half"], outputs: ["above"] },
      { op: "Transpose", inputs: ["above"], outputs: ["rows"], attributes: { perm: [0, 2, 1] } },
      { op: "MatMul", inputs: ["rows", "scores"], outputs: ["y"] },
    ],
    constants: [
      { name: "kernel", shape: [waves, 1, FIELD], values: kernel() },
      { name: "sums", shape: [SPEAKERS, waves, 1], values: sums },
      { name: "half", shape: [1], values: Float32Array.of(HALF) },
      { name: "scores", shape: [SPEAKERS, CLASSES.length], values: scores },
    ],
  };
}

const kaldi = (hertz: number) => 1127 * Math.log(1 + hertz / 700);
/** The mel of the 80 between 20 and 7,600 Hz that a tone is strongest in. */
const melOf = (hertz: number) =>
  Math.round(((kaldi(hertz) - kaldi(20)) / (kaldi(7600) - kaldi(20))) * 81) - 1;

type Embedding = { name?: string; width?: number; metadata?: Record<string, string> };

/** The variance of the mels of each speaker's tones; the rest of `width` is next to nothing. */
export function embeddingGraph({
  name = "3dspeaker-campplus-zh-en",
  width = 192,
  metadata = {},
}: Embedding = {}): Graph {
  const signature = published("speaker-embedding", name, { width }).graph("model")!;
  const { inputs, outputs } = portsOf(signature);
  const x = inputs[0]!.name;
  const matrix = new Float32Array(80 * width);
  for (const [tone, hertz] of TONES.entries()) matrix[melOf(hertz) * width + (tone >> 1)] = 1;
  return {
    inputs,
    outputs,
    metadata: {
      ...metadataOf(signature, {
        framework: name.startsWith("wespeaker") ? "wespeaker" : "3d-speaker",
        normalize_samples: "1",
      }),
      language: "Chinese-English",
      output_dim: String(width),
      ...metadata,
    },
    nodes: [
      { op: "Mul", inputs: [x, x], outputs: ["squares"] },
      { op: "ReduceMean", inputs: ["squares"], outputs: ["power"], attributes: { axes: [1], keepdims: 0 } },
      { op: "ReduceMean", inputs: [x], outputs: ["mean"], attributes: { axes: [1], keepdims: 0 } },
      { op: "Mul", inputs: ["mean", "mean"], outputs: ["still"] },
      { op: "Sub", inputs: ["power", "still"], outputs: ["variance"] },
      { op: "MatMul", inputs: ["variance", "weights"], outputs: ["sums"] },
      { op: "Add", inputs: ["sums", "little"], outputs: [outputs[0]!.name] },
    ],
    constants: [
      { name: "weights", shape: [80, width], values: matrix },
      { name: "little", shape: [1], values: Float32Array.of(1e-6) },
    ],
  };
}

export const segmentationContents = (): Contents => ({
  model: { path: "model.onnx", bytes: writeOnnx(segmentationGraph()) },
});

export const embeddingContents = (embedding: Embedding = {}): Contents => ({
  model: { path: "embedding.onnx", bytes: writeOnnx(embeddingGraph(embedding)) },
});

/** What the embeddings of the tests are told apart by. */
export const EMBEDDING_OPTIONS = { cluster_distance: 0.5, known_similarity: 0.5 };

/** A speaker talks from `start` to `end`, in seconds. */
export type Spoken = { speaker: number; start: number; end: number };

const NOISE_LEVEL = 0.001; // above what a tone leaks into other mels

/** A recording with the tones of those who speak, over a little noise. */
export function recordingOf(seconds: number, turns: readonly Spoken[]): Float32Array {
  const length = Math.round(seconds * ASR_SAMPLE_RATE);
  const samples = weights(openRandom(length), length, NOISE_LEVEL / 2);
  for (const { speaker, start, end } of turns)
    for (let at = Math.round(start * ASR_SAMPLE_RATE); at < Math.round(end * ASR_SAMPLE_RATE); at++)
      samples[at]! += toneOf(speaker, at);
  return samples;
}
