/**
 * The engine of the family `nemo`: Parakeet and similar models, whole spans of speech at once, decoded by CTC or as a
 * transducer (RNN-T, TDT).
 *
 *   samples ──mel [M, T]──> encoder, many spans in one run ──> frames ──> tokens ──> words
 */
import { readFileSync } from "node:fs";
import { workerData } from "piscina";
import { ASR_SAMPLE_RATE } from "../../../src/audio/rates.ts";
import type { OptionsOf } from "../../../src/engine/families/families.ts";
import type { EngineData, Placement } from "../../../src/engine/protocol/engine-data.ts";
import {
  type RecognitionTask,
  rankOf,
  type Speech,
  type SpeechTask,
} from "../../../src/engine/protocol/recognition.ts";
import { isCancelled } from "../../cancel.ts";
import { HOP, nemoFeatures } from "../../features/nemo.ts";
import { openBatcher } from "../../onnx/batcher.ts";
import { type Graph, openGraph, type Signature } from "../../onnx/session.ts";
import { transpose } from "../../onnx/tensors.ts";
import { rounded, warmUp } from "../../onnx/warmup.ts";
import { openSpanFinder } from "../../vad/segmentation.ts";
import { type Biasing, openBiasing } from "../keywords/bias.ts";
import { KeywordVocabulary } from "../keywords/graph.ts";
import { recognizeOrFind, recognizeSegments } from "../segmented-recognition.ts";
import { type Emission, languageOf, readPieces, wordsOf } from "../sentencepiece-words.ts";
import { decodeCtc } from "./ctc.ts";
import { openPredictor, type Predictor } from "./predictor.ts";

const SYMBOLS_MAX = 10;
const BATCH_MAX = 8;
const FRAMES_STEP = 100;

const { files, options, silero, placement } = workerData as EngineData<OptionsOf<"nemo">>;
const pieces = readPieces(readFileSync(files.vocabulary!, "utf8"));
const encoder = await openEncoder();
const keywordVocabulary = new KeywordVocabulary(pieces);
const predictor = await openSearch();
const blank = pieces.length - 1;
const findSpans = await openSpanFinder(silero, options.longest_seconds);
const recognizeBatched = openBatcher({
  batchMax: BATCH_MAX,
  sizeOf: ({ samples }: BiasedSpan) => samples.length,
  run,
  isCancelled: ({ cancel }) => isCancelled(cancel),
});

await warmUp(placement, [2, 5, 10, options.longest_seconds], (seconds) =>
  run([{ samples: new Float32Array(seconds * ASR_SAMPLE_RATE), biasing: null }]),
);

/** A span of speech, with the keywords of its caller. */
type BiasedSpan = { samples: Float32Array; biasing: Biasing; cancel?: Int32Array };

const finder = { findSpans, longestSeconds: options.longest_seconds };

export default (task: RecognitionTask | SpeechTask): Promise<number | Speech> =>
  recognizeOrFind(task, finder, recognize);

function recognize(task: RecognitionTask): Promise<number> {
  const biasing = openBiasing(keywordVocabulary, task.keywords);
  return recognizeSegments(task, {
    ...finder,
    async recognizeSpan(samples, offset) {
      const emissions = await recognizeBatched({ samples, biasing, cancel: task.cancel }, rankOf(task));
      const frameSeconds = (options.subsampling * HOP) / ASR_SAMPLE_RATE;
      const words = wordsOf(emissions, pieces, { frameSeconds, offset });
      const language = languageOf(emissions, pieces);
      return { words, ...(language ? { language } : {}) };
    },
  });
}

async function run(spans: BiasedSpan[]): Promise<Emission[][]> {
  const { values, size, counts, longest } = await encode(spans.map(({ samples }) => samples));
  const biasOf = (index: number) => spans[index]!.biasing?.() ?? null;
  const frames = (index: number) =>
    values.subarray(index * longest * size, (index * longest + counts[index]!) * size);
  if (predictor === null) return counts.map((_, index) => decodeCtc(frames(index), size, biasOf(index)));
  const rules = { blank, symbolsMax: SYMBOLS_MAX, durations: options.durations };
  const searches = counts.map((count, index) => ({
    ...predictor.begin({ ...rules, bias: biasOf(index) }),
    frames: frames(index),
    count,
    from: 0,
  }));
  await predictor.run(searches);
  return searches.map(({ path }) => path.emissions);
}

type Encoded = { values: Float32Array; size: number; counts: number[]; longest: number };

/** Rows of `size` values, `longest` of them a span, of which the first `counts` are its own. */
async function encode(spans: Float32Array[]): Promise<Encoded> {
  const { session, Tensor } = encoder;
  const { mels, normalize, subsampling } = options;
  const features = spans.map((samples) => nemoFeatures(samples, mels, normalize));
  const count = features.length;
  const longest = rounded(placement, Math.max(1, ...features.map(({ frames }) => frames)), FRAMES_STEP);
  const signal = new Float32Array(count * mels * longest);
  for (const [index, { frames, rows }] of features.entries())
    signal.set(transpose(rows, { rows: frames, columns: mels, width: longest }), index * mels * longest);
  const answer = await session.run({
    audio_signal: new Tensor("float32", signal, [count, mels, longest]),
    length: new Tensor(
      "int64",
      BigInt64Array.from(features, ({ frames }) => BigInt(frames)),
      [count],
    ),
  });
  if (options.decoding === "ctc") {
    const { data, dims } = answer.logprobs!;
    const counts = features.map(({ frames }) => Math.min(dims[1]!, Math.ceil(frames / subsampling)));
    return { values: data as Float32Array, size: dims[2]!, counts, longest: dims[1]! };
  }
  const { data, dims } = answer.outputs!;
  const lengths = answer.encoded_lengths!.data as BigInt64Array;
  const counts = Array.from(lengths, Number);
  return { values: framesFirst(data as Float32Array, dims), size: dims[1]!, counts, longest: dims[2]! };
}

/** [B, D, T] as [B, T, D]. */
function framesFirst(values: Float32Array, [count, size, frames]: readonly number[]): Float32Array {
  const each = size! * frames!;
  const whole = new Float32Array(values.length);
  for (let index = 0; index < count!; index++)
    whole.set(
      transpose(values.subarray(index * each, (index + 1) * each), { rows: size!, columns: frames! }),
      index * each,
    );
  return whole;
}

async function openEncoder(): Promise<Graph> {
  const inputs: Signature["inputs"] = {
    audio_signal: { type: "float32", shape: [null, options.mels, null] },
    length: { type: "int64", shape: [null] },
  };
  const outputs: Signature["outputs"] =
    options.decoding === "ctc"
      ? { logprobs: { type: "float32", shape: [null, null, pieces.length] } }
      : {
          outputs: { type: "float32", shape: [null, null, null] },
          encoded_lengths: { type: "int64", shape: [null] },
        };
  return openGraph(files.encoder!, { inputs, outputs }, placement);
}

/** The search never runs on a GPU: it is thousands of small steps. */
async function openSearch(): Promise<Predictor | null> {
  if (options.decoding === "ctc") return null;
  const onProcessor: Placement = { ...placement, devices: [] };
  const { joint, decoder, joiner } = files;
  const graphs = joint ? { joint } : { decoder: decoder!, joiner: joiner! };
  return openPredictor(graphs, pieces.length, onProcessor);
}
