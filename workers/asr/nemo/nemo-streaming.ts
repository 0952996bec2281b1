/**
 * The engine of the family `nemo-streaming`: cache-aware FastConformer transducers (Nemotron), many live streams in one
 * run of the encoder.
 *
 *   frames   ·········├──── shift ────┤              a window: `lookback` frames that were heard before, then `shift` new
 *            ├ lookback ┤├─ next shift ─┤            the first window looks back on zeros
 *
 * What was heard stays in three caches, which go from window to window, and with the search. What a stream comes to does
 * not depend on how it was cut, nor on who else is heard. Source: NVIDIA NeMo.
 */
import { readFileSync } from "node:fs";
import { workerData } from "piscina";
import { ASR_SAMPLE_RATE } from "../../../src/audio/rates.ts";
import type { OptionsOf } from "../../../src/engine/families/families.ts";
import type { EngineData } from "../../../src/engine/protocol/engine-data.ts";
import type { RecognitionTask, Word } from "../../../src/engine/protocol/recognition.ts";
import type { StreamingResult, StreamingTask } from "../../../src/engine/protocol/streaming-recognition.ts";
import { openSpanFinder } from "../../vad/segmentation.ts";
import { recognizeSegments } from "../segmented-recognition.ts";
import { openCachedEncoder, type Stream } from "./cached-encoder.ts";
import { openPredictor } from "./predictor.ts";
import { languageOf, readPieces, wordsOf } from "./sentencepiece.ts";

const HOP = 160;
const SYMBOLS_MAX = 10;
const LONGEST_SECONDS = 20;

const { files, options, silero, placement } = workerData as EngineData<OptionsOf<"nemo-streaming">>;
const pieces = readPieces(readFileSync(files.vocabulary!, "utf8"));
const rules = { blank: pieces.length - 1, symbolsMax: SYMBOLS_MAX, durations: null };
const predictor = await openPredictor({ decoder: files.decoder!, joiner: files.joiner! }, pieces.length, {
  ...placement,
  devices: [], // beside a GPU too: it is thousands of small steps
});
const encoder = await openCachedEncoder(files.encoder!, options, placement);
const findSpans = await openSpanFinder(silero, LONGEST_SECONDS);
const frameSeconds = (options.subsampling * HOP) / ASR_SAMPLE_RATE;

/** A live stream: its search goes on from window to window. `told` words have gone out. */
type Live = { stream: Stream; search: ReturnType<typeof predictor.begin>; told: number; finished: boolean };
const streams = new Map<number, Live>();

export default function recognize(
  task: RecognitionTask | StreamingTask,
): Promise<number | StreamingResult[]> {
  return "port" in task ? hearRecording(task) : hearStreams(task);
}

const begin = (language: string | null): Live => ({
  stream: encoder.open(language),
  search: predictor.begin(rules),
  told: 0,
  finished: false,
});

async function hearStreams({ open, feed, finish, close }: StreamingTask): Promise<StreamingResult[]> {
  for (const { id, language } of open) streams.set(id, begin(language));
  for (const { id, samples } of feed) streams.get(id)?.stream.push(samples);
  for (const id of finish) {
    const live = streams.get(id);
    live?.stream.finish();
    if (live) live.finished = true;
  }
  const touched = [...new Set([...feed.map(({ id }) => id), ...finish])];
  await advance(touched.flatMap((id) => streams.get(id) ?? []));
  const answers = touched.map((id) => ({ id, ...answerOf(streams.get(id)) }));
  for (const id of close) streams.delete(id);
  return answers;
}

/** Every window that is ready, of all of them together. */
async function advance(lives: Live[]): Promise<void> {
  for (;;) {
    const ready = lives.filter(({ stream }) => stream.isReady());
    if (ready.length === 0) return;
    const encoded = await encoder.step(ready.map(({ stream }) => stream));
    await predictor.run(ready.map(({ search }, at) => ({ ...search, ...encoded[at]! })));
  }
}

/** Words that are new and whole: the last may go on, until the stream is finished. */
function answerOf(live: Live | undefined): Omit<StreamingResult, "id"> {
  if (!live) return { words: [], language: null };
  const { emissions } = live.search.path;
  const all = wordsOf(emissions, pieces, { frameSeconds, offset: 0 });
  const whole = live.finished ? all : all.slice(0, -1);
  const words: Word[] = whole.slice(live.told);
  live.told = Math.max(live.told, whole.length);
  return { words, language: languageOf(emissions, pieces) };
}

/** A file: stretches of speech, each a stream that comes at once. */
function hearRecording(task: RecognitionTask): Promise<number> {
  return recognizeSegments(task, {
    findSpans,
    longestSeconds: LONGEST_SECONDS,
    async recognizeSpan(samples, offset) {
      const live = begin(task.language);
      live.stream.push(samples);
      live.stream.finish();
      live.finished = true;
      await advance([live]);
      const { words, language } = answerOf(live);
      const placed = words.map((word) => ({ ...word, start: word.start + offset, end: word.end + offset }));
      return { words: placed, ...(language ? { language } : {}) };
    },
  });
}
