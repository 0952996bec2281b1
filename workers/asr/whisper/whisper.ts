/**
 * The engine of the family `whisper`: windows of at most 30 s to segments and words, in any of its languages.
 *
 *   span ──features, encoder──> hidden ──language detection──> tokens, greedily ──> segments ──attention──> words
 *
 * A text that repeats itself or has a low probability is sampled again at a higher temperature, where the most probable of
 * five is taken; a window that probably has no speech is taken for silence where it is short or its text has a low
 * probability, as is one whose every text is hopeless. Source: openai/whisper.
 */
import { workerData } from "piscina";
import { ASR_SAMPLE_RATE } from "../../../src/audio/rates.ts";
import { readJsonFile } from "../../../src/engine/families/json-file.ts";
import type { EngineData } from "../../../src/engine/protocol/engine-data.ts";
import {
  type Hypothesis,
  promptWithKeywords,
  type RecognitionTask,
  rankOf,
  type Speech,
  type SpeechTask,
  type Word,
} from "../../../src/engine/protocol/recognition.ts";
import { compressionRatio } from "../../../src/transcription/compression-ratio.ts";
import { isCancelled } from "../../cancel.ts";
import { openWhisperFeatures } from "../../features/whisper.ts";
import { openBatcher, SharedProcessor } from "../../onnx/batcher.ts";
import { warmUp } from "../../onnx/warmup.ts";
import { openSpanFinder } from "../../vad/segmentation.ts";
import { recognizeOrFind, recognizeSegments } from "../segmented-recognition.ts";
import { type Budget, budgetOf, ENCODING, textWork } from "./budget.ts";
import { BytePairs, readVocabulary } from "./byte-pairs.ts";
import { type DecodeResult, openDecoder } from "./decoder.ts";
import { type Decoded, decodeWithFallback } from "./fallback.ts";
import { openWhisperGraphs, POSITIONS } from "./graphs.ts";
import { placedWords } from "./placed-words.ts";
import { evenTimes, type TokenTime, type WindowSegment, windowSegments } from "./segments.ts";
import { CONFIG, GENERATION, TOKENIZER } from "./settings.ts";
import { specialTokens } from "./tokens.ts";
import { windowsOf } from "./windows.ts";
import { rowTimes } from "./words.ts";

const WINDOW_SECONDS = 30;
const SHORT_SECONDS = 2;
const BATCH_MAX = 8;
const PROMPT_TOKENS_MAX = 223;
const POSITIONS_MAX = 448;
const POSITIONS_PER_SECOND = 50;

const { files, silero, placement } = workerData as EngineData;
const config = readJsonFile(files.config!, CONFIG);
const generation = readJsonFile(files.generation!, GENERATION);
const pieces = readVocabulary(readJsonFile(files.tokenizer!, TOKENIZER).model.vocab);
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
const processor = new SharedProcessor();
/** The features of a window. */
type EncodeRequest = { rows: Float32Array; cancel: Int32Array };
const encode = openBatcher({
  batchMax: graphs.encodesSeveral ? BATCH_MAX : 1,
  sizeOf: () => 1,
  run: (all: EncodeRequest[]) => graphs.encode(all.map(({ rows }) => rows)),
  isCancelled: ({ cancel }) => isCancelled(cancel),
  processor,
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
  processor,
});

await warmUp(placement, [1], () => graphs.encode([features(new Float32Array(0)).rows]));

type Transcribed = Omit<Hypothesis, "start" | "end"> & { language: string; noSpeech: number };

const finder = { findSpans, longestSeconds: WINDOW_SECONDS };

export default (task: RecognitionTask | SpeechTask): Promise<number | Speech> =>
  recognizeOrFind(task, finder, recognize);

function recognize(task: RecognitionTask): Promise<number> {
  const isKnown =
    task.language !== null && (!multilingual || languages[`<|${task.language}|>`] !== undefined);
  let language: Promise<string> | null = isKnown ? Promise.resolve(task.language!) : null;
  const previous = previousTokens(task);
  return recognizeSegments(task, {
    ...finder,
    async recognizeSpan(samples, offset) {
      const hidden = await encode({ ...features(samples), cancel: task.cancel }, rankOf(task));
      language ??= multilingual ? detectLanguage(hidden, task.languages) : Promise.resolve("en"); // the first span decides for all
      return transcribe({ samples, hidden, offset, language: await language, previous, task });
    },
  });
}

type RecordingSpan = {
  samples: Float32Array;
  hidden: Float32Array;
  offset: number;
  language: string;
  previous: readonly number[];
  task: RecognitionTask;
};

async function transcribe(span: RecordingSpan): Promise<Transcribed> {
  const { samples, hidden, offset, language, previous, task } = span;
  const transcribed: Required<Pick<Transcribed, "words" | "decodings">> = { words: [], decodings: [] };
  let noSpeech = 0;
  const budget = budgetOf(samples.length / ASR_SAMPLE_RATE);
  const windows = windowsOf({ samples, budget }, async (rest, from) => {
    const window =
      from === 0 ? hidden : await encode({ ...features(rest), cancel: task.cancel }, rankOf(task));
    budget.left -= ENCODING;
    const seconds = rest.length / ASR_SAMPLE_RATE;
    const result = await decodeWindow(window, { language, previous, task, seconds, budget });
    return result && { ...windowSegments(result.tokens, { ...special, seconds }), result };
  });
  for await (const { from, segments, result } of windows) {
    const start = offset + from;
    const words = timedWords(segments, { result, language: task.translate ? "en" : language });
    for (const word of words)
      transcribed.words.push({ ...word, start: start + word.start, end: start + word.end });
    transcribed.decodings.push({
      start,
      words: words.length,
      temperature: result.temperature,
      logProbability: result.meanLogProbability,
      compressionRatio: result.compressionRatio,
      noSpeech: result.noSpeech,
    });
    noSpeech = Math.max(noSpeech, result.noSpeech);
    if (isCancelled(task.cancel)) break;
  }
  return { ...transcribed, language, noSpeech };
}

type WindowOptions = Pick<RecordingSpan, "language" | "previous" | "task"> & {
  seconds: number;
  budget: Budget;
};

/** Null: silence, or cancelled. */
function decodeWindow(hidden: Float32Array, options: WindowOptions): Promise<Decoded | null> {
  const { seconds, task, budget } = options;
  const frames = Math.min(POSITIONS, Math.max(1, Math.floor(seconds * POSITIONS_PER_SECOND)));
  const { cancel, wordTimes: aligned } = task;
  const request = { hidden, frames, aligned, cancel, ...promptOf(options) };
  return decodeWithFallback({
    budget,
    workOf: (tokens) => textWork(request.prompt.length, tokens),
    decode: (attempt) => decode({ ...request, ...attempt }, rankOf(task)),
    compressionRatioOf: (tokens) => compressionRatio(tokenizer.decode(tokens)),
    isCancelled: () => isCancelled(cancel),
    isShort: seconds < SHORT_SECONDS,
  });
}

/** What precedes the transcript of each window. */
function previousTokens(task: RecognitionTask): number[] {
  const text = promptWithKeywords(task).trim();
  if (text === "") return [];
  return [special.startOfPrevious, ...tokenizer.encode(` ${text}`).slice(-PROMPT_TOKENS_MAX)];
}

/** `startAt`: the index of the token that starts the transcript, behind the words that precede it. */
function promptOf({ language, previous, task }: WindowOptions): { prompt: number[]; startAt: number } {
  const start = [
    special.startOfTranscript,
    ...(multilingual
      ? [languages[`<|${language}|>`]!, task.translate ? special.translate : special.transcribe]
      : []),
  ];
  return { prompt: [...previous, ...start], startAt: previous.length };
}

/** `among`: the languages to choose from; empty: all. */
async function detectLanguage(hidden: Float32Array, among: readonly string[] = []): Promise<string> {
  const { logits } = await graphs.open([hidden]).step([[special.startOfTranscript]]);
  const named = Object.entries(languages).filter(([token]) => among.includes(token.slice(2, -2)));
  const candidates = named.length > 0 ? named : Object.entries(languages);
  const [likeliest] = candidates.reduce((best, each) => (logits[each[1]]! > logits[best[1]]! ? each : best));
  return likeliest.slice(2, -2);
}

/** The words of a window's segments, in seconds of the window. */
function timedWords(
  segments: WindowSegment[],
  { result, language }: { result: DecodeResult; language: string },
): Word[] {
  const count = segments.reduce((sum, { tokens }) => sum + tokens.length, 0);
  if (count === 0) return [];
  const { endOfText } = special;
  return placedWords({
    segments,
    times: alignedTimes(count, result) ?? evenTimes(segments),
    logProbabilities: result.logProbabilities.filter((_, index) => result.tokens[index]! < endOfText),
    endOfText,
    language,
    decode: (some) => tokenizer.decode(some),
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
