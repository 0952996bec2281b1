/**
 * The engine of the family `nemo-streaming`: cache-aware FastConformer transducers (Nemotron), many live streams in one
 * run of the encoder.
 *
 *   frames   ·········├──── shift ────┤              a window: `lookback` earlier frames, then `shift` new ones
 *            ├ lookback ┤├─ next shift ─┤            before the first window there are zeros
 *
 * The state of a stream is three caches of the encoder and its search. Its result does not depend on how its samples are
 * divided, nor on the other streams. Source: NVIDIA NeMo.
 */
import { readFileSync } from "node:fs";
import { workerData } from "piscina";
import { ASR_SAMPLE_RATE } from "../../../src/audio/rates.ts";
import type { OptionsOf } from "../../../src/engine/families/families.ts";
import type { EngineData } from "../../../src/engine/protocol/engine-data.ts";
import type { RecognitionTask, Word } from "../../../src/engine/protocol/recognition.ts";
import type { StreamingResult, StreamingTask } from "../../../src/engine/protocol/streaming-recognition.ts";
import { unknownKind } from "../../../src/engine/protocol/task.ts";
import { TransientMap } from "../../../src/transient.ts";
import { HOP } from "../../features/nemo.ts";
import { openSpanFinder } from "../../vad/segmentation.ts";
import { openBiasing } from "../keywords/bias.ts";
import { KeywordVocabulary } from "../keywords/graph.ts";
import { recognizeSegments } from "../segmented-recognition.ts";
import { GrowingWords, languageOf, readPieces } from "../sentencepiece-words.ts";
import { openCachedEncoder, type Stream } from "./cached-encoder.ts";
import { openPredictor } from "./predictor.ts";

const SYMBOLS_MAX = 10;
const LONGEST_SECONDS = 20;

const { files, options, silero, placement } = workerData as EngineData<OptionsOf<"nemo-streaming">>;
const pieces = readPieces(readFileSync(files.vocabulary!, "utf8"));
const keywordVocabulary = new KeywordVocabulary(pieces);
const rules = { blank: pieces.length - 1, symbolsMax: SYMBOLS_MAX, durations: null };
const predictor = await openPredictor({ decoder: files.decoder!, joiner: files.joiner! }, pieces.length, {
  ...placement,
  devices: [], // never a GPU: it is thousands of small steps
});
const encoder = await openCachedEncoder(files.encoder!, options, placement);
const findSpans = await openSpanFinder(silero, LONGEST_SECONDS);
const frameSeconds = (options.subsampling * HOP) / ASR_SAMPLE_RATE;

/** A stream of `samples` so far, and its search, which continues from window to window. */
type LiveStream = {
  stream: Stream;
  samples: number;
  search: ReturnType<typeof predictor.begin>;
  words: GrowingWords;
  language: string | null;
  finished: boolean;
};
const streams = new TransientMap<number, LiveStream>();

export default function recognize(
  task: RecognitionTask | StreamingTask,
): Promise<number | StreamingResult[]> {
  switch (task.kind) {
    case "recognition":
      return recognizeRecording(task);
    case "streaming-recognition":
      return recognizeStreams(task);
    default:
      return unknownKind(task);
  }
}

const begin = (language: string | null, keywords: readonly string[] = []): LiveStream => ({
  stream: encoder.open(language),
  samples: 0,
  search: predictor.begin({ ...rules, bias: openBiasing(keywordVocabulary, keywords)?.() ?? null }),
  words: new GrowingWords(pieces, { frameSeconds, offset: 0 }),
  language: null,
  finished: false,
});

async function recognizeStreams({ open, feed, finish, close }: StreamingTask): Promise<StreamingResult[]> {
  for (const { id, language, keywords } of open) streams.set(id, begin(language, keywords));
  for (const { id, samples } of feed) push(streams.get(id), samples);
  for (const id of finish) end(streams.get(id));
  const changed = [...new Set([...feed.map(({ id }) => id), ...finish])];
  await advance(changed.flatMap((id) => streams.get(id) ?? []));
  const results = changed.map((id) => ({ id, ...newWordsOf(streams.get(id)) }));
  for (const id of close) streams.delete(id);
  return results;
}

function push(live: LiveStream | undefined, samples: Float32Array): void {
  if (!live) return;
  live.stream.push(samples);
  live.samples += samples.length;
}

function end(live: LiveStream | undefined): void {
  if (!live) return;
  live.stream.finish();
  live.finished = true;
}

/** Runs every window that is ready, those of all streams in one batch. */
async function advance(all: LiveStream[]): Promise<void> {
  for (;;) {
    const ready = all.filter(({ stream }) => stream.isReady());
    if (ready.length === 0) return;
    const encoded = await encoder.step(ready.map(({ stream }) => stream));
    await predictor.run(ready.map(({ search }, index) => ({ ...search, ...encoded[index]! })));
  }
}

/** New words that are complete; the last word may continue until the stream is finished. What was emitted is forgotten. */
function newWordsOf(live: LiveStream | undefined): Omit<StreamingResult, "id"> {
  if (!live) return { words: [], language: null };
  const emitted = live.search.path.emissions.splice(0);
  live.language ??= languageOf(emitted, pieces);
  const complete = live.words.add(emitted);
  const words = live.finished ? [...complete, ...live.words.rest()] : complete;
  return { words: words.map((word) => within(word, live)), language: live.language };
}

/** The last words are emitted during the padding, so their times are limited to the end of the audio. */
function within(word: Word, { finished, samples }: LiveStream): Word {
  if (!finished) return word;
  const endSeconds = samples / ASR_SAMPLE_RATE;
  return { ...word, start: Math.min(word.start, endSeconds), end: Math.min(word.end, endSeconds) };
}

/** A recording: each span of speech is a stream that arrives at once. */
function recognizeRecording(task: RecognitionTask): Promise<number> {
  return recognizeSegments(task, {
    findSpans,
    longestSeconds: LONGEST_SECONDS,
    async recognizeSpan(samples, offset) {
      const live = begin(task.language, task.keywords);
      push(live, samples);
      end(live);
      await advance([live]);
      const { words, language } = newWordsOf(live);
      const placed = words.map((word) => ({ ...word, start: word.start + offset, end: word.end + offset }));
      return { words: placed, ...(language ? { language } : {}) };
    },
  });
}
