/**
 * The engine of the family `canary`: transcription and translation of named languages, span by span.
 *
 *   samples ──mel──> encoder, many spans in one run ──> hidden ──prompt, decoder──> tokens ──> words
 *
 * The prompt names the spoken and the written language. The exports have no times of words: they are spread evenly over
 * the span. Source: NVIDIA NeMo (EncDecMultiTaskModel), by the exports of sherpa-onnx and onnx-asr.
 */
import { readFileSync } from "node:fs";
import { workerData } from "piscina";
import { ASR_SAMPLE_RATE } from "../../../src/audio/rates.ts";
import type { OptionsOf } from "../../../src/engine/families/families.ts";
import type { EngineData } from "../../../src/engine/protocol/engine-data.ts";
import {
  type RecognitionTask,
  rankOf,
  type Speech,
  type SpeechTask,
} from "../../../src/engine/protocol/recognition.ts";
import { isCancelled } from "../../cancel.ts";
import { nemoFeatures } from "../../features/nemo.ts";
import { openBatcher } from "../../onnx/batcher.ts";
import { warmUp } from "../../onnx/warmup.ts";
import { openSpanFinder } from "../../vad/segmentation.ts";
import { recognizeOrFind, recognizeSegments } from "../segmented-recognition.ts";
import { readPieces, wordsOf } from "../sentencepiece-words.ts";
import { openBatchDecoder } from "./batch-decoder.ts";
import { MELS, openEncoder } from "./encoder.ts";
import { openPrompts } from "./prompt.ts";
import { type Chosen, searchTexts } from "./search.ts";
import { openSingleDecoder } from "./single-decoder.ts";

const BATCH_MAX = 8;
const TOKENS_PER_SECOND = 30;
const POSITIONS_MAX = 1024;
const SILENT_MAX = 1; // normalized features of digital silence stay far below, of any sound far above

const { files, options, silero, placement } = workerData as EngineData<OptionsOf<"canary">>;
const isBatched = files["batch-decoder"] !== undefined;
const pieces = readPieces(readFileSync(files.vocabulary!, "utf8"));
const prompts = openPrompts(pieces, isBatched);
const onProcessor = { ...placement, devices: [] }; // hundreds of small steps
const encode = await openEncoder(files[isBatched ? "batch-encoder" : "encoder"]!, isBatched, placement);
const decode = isBatched
  ? await openBatchDecoder(files["batch-decoder"]!, onProcessor)
  : await openSingleDecoder(files.decoder!, onProcessor);
const findSpans = await openSpanFinder(silero, options.longest_seconds);
const recognizeBatched = openBatcher({
  batchMax: BATCH_MAX,
  sizeOf: ({ samples }: LanguageSpan) => samples.length,
  run,
  isCancelled: ({ cancel }) => isCancelled(cancel),
});

await warmUp(placement, [2, 5, 10, options.longest_seconds], (seconds) =>
  encode([nemoFeatures(new Float32Array(seconds * ASR_SAMPLE_RATE), MELS, true)]),
);

/** A span of speech, what is spoken in it, and what is to be written. */
type LanguageSpan = { samples: Float32Array; spoken: string; written: string; cancel: Int32Array };

const finder = { findSpans, longestSeconds: options.longest_seconds };

export default (task: RecognitionTask | SpeechTask): Promise<number | Speech> =>
  recognizeOrFind(task, finder, recognize);

function recognize(task: RecognitionTask): Promise<number> {
  const { language: spoken } = task;
  if (spoken === null) throw new Error("the language of a recording must be named for Canary");
  const written = task.translate ? "en" : spoken;
  return recognizeSegments(task, {
    ...finder,
    async recognizeSpan(samples, offset) {
      const text = await recognizeBatched({ samples, spoken, written, cancel: task.cancel }, rankOf(task));
      const tokens = text.map((chosen, frame) => ({ ...chosen, frame, frames: 1 }));
      const frameSeconds = samples.length / ASR_SAMPLE_RATE / Math.max(1, tokens.length);
      return { words: wordsOf(tokens, pieces, { frameSeconds, offset }), language: spoken };
    },
  });
}

async function run(spans: LanguageSpan[]): Promise<Chosen[][]> {
  const features = spans.map(({ samples }) => nemoFeatures(samples, MELS, true));
  const hidden = await encode(features);
  const requests = spans.map(({ samples, spoken, written }, index) => ({
    prompt: prompts.of(spoken, written),
    tokensMax: Math.min(
      1 + Math.floor((samples.length / ASR_SAMPLE_RATE) * TOKENS_PER_SECOND),
      POSITIONS_MAX - prompts.length,
    ),
    isSilent: !features[index]!.rows.some((value) => Math.abs(value) > SILENT_MAX),
  }));
  return searchTexts(decode(hidden), requests, prompts.endOfText);
}
