/**
 * The engine of the family `whisper`: windows of at most 30 s to segments and words, in any of its languages.
 *
 *   span ──features, encoder──> hidden ──language detection──> tokens, greedily ──> segments ──attention──> words
 *
 * A text that repeats itself or has a low probability is sampled again at a higher temperature; a window that probably
 * has no speech and whose text has a low probability is taken for silence. Source: openai/whisper.
 */
import { readFileSync } from "node:fs";
import { workerData } from "piscina";
import { ASR_SAMPLE_RATE } from "../../../src/audio/rates.ts";
import type { EngineData } from "../../../src/engine/protocol/engine-data.ts";
import {
  promptWithKeywords,
  type RecognitionTask,
  type Speech,
  type SpeechTask,
  type Word,
} from "../../../src/engine/protocol/recognition.ts";
import { compressionRatio } from "../../../src/transcription/compression-ratio.ts";
import { openWhisperFeatures } from "../../features/whisper.ts";
import { openBatcher } from "../../onnx/batcher.ts";
import { warmUp } from "../../onnx/warmup.ts";
import { openSpanFinder } from "../../vad/segmentation.ts";
import { findSpeech, recognizeSegments } from "../segmented-recognition.ts";
import { BytePairs, readVocabulary } from "./byte-pairs.ts";
import { type DecodeResult, openDecoder } from "./decoder.ts";
import { openWhisperGraphs, POSITIONS } from "./graphs.ts";
import { evenTimes, type TokenTime, type WindowSegment, windowSegments } from "./segments.ts";
import { specialTokens } from "./tokens.ts";
import { rowTimes, splitWords } from "./words.ts";

const WINDOW_SECONDS = 30;
const BATCH_MAX = 8;
const TEMPERATURES = [0, 0.2, 0.4, 0.6, 0.8, 1];
const COMPRESSION_RATIO_MAX = 2.4; // above it the text repeats itself
const LOG_PROBABILITY_MIN = -1; // below it the text is doubtful
const NO_SPEECH_MAX = 0.6;
const PROMPT_TOKENS_MAX = 223;
const POSITIONS_MAX = 448;
const POSITIONS_PER_SECOND = 50;
const STEP_MIN_SECONDS = 1; // limits the number of windows of a span

const { files, silero, placement } = workerData as EngineData;
const read = (role: string) => JSON.parse(readFileSync(files[role]!, "utf8"));
const config = read("config");
const generation = read("generation");
const pieces = readVocabulary(read("tokenizer").model.vocab);
const languages: Record<string, number> = generation.lang_to_id ?? {};
const multilingual = Object.keys(languages).length > 0;
const special = specialTokens(
  generation.eos_token_id ?? config.eos_token_id,
  multilingual ? Object.keys(languages).length : 99,
);
const tokenizer = new BytePairs(pieces.slice(0, special.endOfText));
const features = openWhisperFeatures(config.num_mel_bins, WINDOW_SECONDS);
const heads: [number, number][] = generation.alignment_heads ?? [];
const graphs = await openWhisperGraphs(
  { encoder: files.encoder!, decoder: files.decoder! },
  {
    mels: config.num_mel_bins,
    width: config.d_model,
    layers: config.decoder_layers,
    heads: config.decoder_attention_heads,
  },
  placement,
);
const findSpans = await openSpanFinder(silero, WINDOW_SECONDS);
const encode = openBatcher({
  batchMax: BATCH_MAX,
  sizeOf: () => 1,
  run: (all: Float32Array[]) => graphs.encode(all),
});
const decode = openDecoder(graphs, {
  special,
  suppressed: generation.suppress_tokens ?? [],
  blank: (generation.begin_suppress_tokens ?? [220]).filter((token: number) => token !== special.endOfText),
  firstMax: generation.max_initial_timestamp_index ?? 50, // a second
  timestamps: true,
  heads,
  positionsMax: config.max_target_positions ?? POSITIONS_MAX,
  batchMax: BATCH_MAX,
});

await warmUp(placement, [1], () => graphs.encode([features(new Float32Array(0)).rows]));

type Transcribed = { words: Word[]; language: string; noSpeech: number };

export default function recognize(task: RecognitionTask | SpeechTask): Promise<number | Speech> {
  if ("recording" in task) return findSpeech(task, { findSpans, longestSeconds: WINDOW_SECONDS });
  const isKnown =
    task.language !== null && (!multilingual || languages[`<|${task.language}|>`] !== undefined);
  let language: Promise<string> | null = isKnown ? Promise.resolve(task.language!) : null;
  return recognizeSegments(task, {
    findSpans,
    longestSeconds: WINDOW_SECONDS,
    async recognizeSpan(samples, offset) {
      const hidden = await encode(features(samples).rows, task.urgent);
      language ??= multilingual ? detectLanguage(hidden, task.languages) : Promise.resolve("en"); // the first span decides for all
      return transcribe({ samples, hidden, offset, language: await language, task });
    },
  });
}

type RecordingSpan = {
  samples: Float32Array;
  hidden: Float32Array;
  offset: number;
  language: string;
  task: RecognitionTask;
};

/** Where a window's last segment is incomplete, another window begins there. */
async function transcribe({ samples, hidden, offset, language, task }: RecordingSpan): Promise<Transcribed> {
  const words: Word[] = [];
  let noSpeech = 0;
  let rest = samples;
  let windowHidden = hidden;
  for (let from = offset; ; ) {
    const seconds = rest.length / ASR_SAMPLE_RATE;
    const result = await decodeWindow(windowHidden, { language, task, seconds });
    if (result === null) break;
    noSpeech = Math.max(noSpeech, result.noSpeech);
    const { segments, nextStart } = windowSegments(result.tokens, { ...special, seconds });
    const written = task.translate ? "en" : language;
    words.push(...timedWords(segments, { result, language: written, from }));
    const step = Math.max(nextStart ?? seconds, STEP_MIN_SECONDS);
    if (step >= seconds || Atomics.load(task.cancel, 0) !== 0) break;
    from += step;
    rest = rest.subarray(Math.round(step * ASR_SAMPLE_RATE));
    windowHidden = await encode(features(rest).rows, task.urgent);
  }
  return { words, language, noSpeech };
}

/** Null: silence. */
async function decodeWindow(
  hidden: Float32Array,
  { language, task, seconds }: { language: string; task: RecognitionTask; seconds: number },
): Promise<DecodeResult | null> {
  const text = promptWithKeywords(task).trim();
  const previous =
    text === "" ? [] : [special.startOfPrevious, ...tokenizer.encode(` ${text}`).slice(-PROMPT_TOKENS_MAX)];
  const start = [
    special.startOfTranscript,
    ...(multilingual
      ? [languages[`<|${language}|>`]!, task.translate ? special.translate : special.transcribe]
      : []),
  ];
  const frames = Math.min(POSITIONS, Math.max(1, Math.floor(seconds * POSITIONS_PER_SECOND)));
  const prompt = [...previous, ...start];
  let result: DecodeResult | null = null;
  for (const temperature of TEMPERATURES) {
    const request = { hidden, prompt, startAt: previous.length, temperature, frames };
    result = await decode({ ...request, aligned: task.wordTimes }, task.urgent);
    const isDoubtful = result.meanLogProbability < LOG_PROBABILITY_MIN;
    if (result.noSpeech > NO_SPEECH_MAX && isDoubtful) return null;
    if (!isDoubtful && compressionRatio(tokenizer.decode(result.tokens)) <= COMPRESSION_RATIO_MAX) break;
  }
  return result;
}

/** `among`: the languages to choose from; empty: all. */
async function detectLanguage(hidden: Float32Array, among: readonly string[] = []): Promise<string> {
  const { logits } = await graphs.open([hidden]).step([[special.startOfTranscript]]);
  const named = Object.entries(languages).filter(([token]) => among.includes(token.slice(2, -2)));
  const candidates = named.length > 0 ? named : Object.entries(languages);
  const [likeliest] = candidates.reduce((best, each) => (logits[each[1]]! > logits[best[1]]! ? each : best));
  return likeliest.slice(2, -2);
}

type Timing = { result: DecodeResult; language: string; from: number };

function timedWords(segments: WindowSegment[], { result, language, from }: Timing): Word[] {
  const tokens = segments.flatMap((segment) => segment.tokens);
  if (tokens.length === 0) return [];
  const words = splitWords(tokens, language, (some) => tokenizer.decode(some));
  const times = alignedTimes(tokens.length, result) ?? evenTimes(segments);
  const confidence = Math.exp(result.meanLogProbability);
  let token = 0;
  return words.flatMap(({ text, tokens: wordTokens }) => {
    const { start } = times[token]!;
    const { end } = times[token + wordTokens.length - 1]!;
    token += wordTokens.length;
    if (text.trim() === "") return [];
    const glued = text.startsWith(" ") ? {} : { glued: true };
    return [
      { text: text.trim(), start: from + start, end: from + Math.max(start, end), confidence, ...glued },
    ];
  });
}

/** When each of `count` text tokens was spoken, by attention; null where there is none. */
function alignedTimes(count: number, { tokens, attention }: DecodeResult): TokenTime[] | null {
  const text = tokens.flatMap((token, index) => (token < special.endOfText ? [index] : [])).slice(0, count);
  const rows = [...text, (text.at(-1) ?? 0) + 1].flatMap((index) =>
    attention[index] ? [attention[index]] : [],
  );
  if (rows.length < count || heads.length === 0) return null;
  const frames = rows[0]![0]!.length;
  const byHead = heads.map((_, head) => {
    const ofHead = new Float32Array(rows.length * frames);
    for (const [row, ofToken] of rows.entries()) ofHead.set(ofToken[head]!, row * frames);
    return ofHead;
  });
  const times = rowTimes({ tokens: rows.length, frames, heads: byHead });
  return text.map((_, index) => ({ start: times[index]!, end: times[index + 1]! }));
}
