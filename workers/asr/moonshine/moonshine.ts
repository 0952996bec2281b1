/**
 * The engine of the family `moonshine`: Moonshine v2, small models of one language whose encoder follows the sound.
 *
 *   live        each task's sound is heard, and each stream's text is found again, from the words that are final on
 *   recording   each span of speech is encoded at once, and its text found once
 *
 * Source: moonshine-ai/moonshine.
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
import { openSpanFinder } from "../../vad/segmentation.ts";
import { openBiasing } from "../keywords/bias.ts";
import { KeywordVocabulary } from "../keywords/graph.ts";
import { recognizeSegments } from "../segmented-recognition.ts";
import { readMoonshineConfig } from "./config.ts";
import { MoonshineDecoder } from "./decoder.ts";
import { MoonshineEncoder } from "./encoder.ts";
import { readMoonshinePieces } from "./pieces.ts";
import { LONGEST_SECONDS, type Model, Transcript } from "./transcript.ts";

const STEP_FRAMES = 24; // 0.48 s: the published loop decodes twice a second

const { files, options, silero, placement } = workerData as EngineData<OptionsOf<"moonshine">>;
const config = readMoonshineConfig(files.config!, options);
const pieces = readMoonshinePieces(readFileSync(files.vocabulary!));
if (pieces.count !== config.vocab_size)
  throw new Error(
    `this is another model: it has ${pieces.count} pieces, and its graphs ${config.vocab_size}`,
  );
const keywordVocabulary = new KeywordVocabulary(pieces.texts);
const onProcessor = { ...placement, devices: [] }; // thousands of small steps
const model: Model = {
  encoder: await MoonshineEncoder.open(files, config, onProcessor),
  decoder: await MoonshineDecoder.open(files, config, onProcessor),
  config,
  pieces,
};
const findSpans = await openSpanFinder(silero, LONGEST_SECONDS);

type LiveStream = { transcript: Transcript; samples: number };
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

async function recognizeStreams({ open, feed, finish, close }: StreamingTask): Promise<StreamingResult[]> {
  for (const { id, keywords = [] } of open) {
    const biasing = openBiasing(keywordVocabulary, keywords);
    const transcript = new Transcript(model, { biasing, stepFrames: STEP_FRAMES, aligned: config.attends });
    streams.set(id, { transcript, samples: 0 });
  }
  for (const { id, samples } of feed) await push(streams.get(id), samples);
  const changed = [...new Set([...feed.map(({ id }) => id), ...finish])];
  const results: StreamingResult[] = [];
  for (const id of changed)
    results.push({ id, words: await newWordsOf(streams.get(id), finish.includes(id)), language: null });
  for (const id of close) streams.delete(id);
  return results;
}

async function push(live: LiveStream | undefined, samples: Float32Array): Promise<void> {
  if (!live) return;
  live.samples += samples.length;
  await live.transcript.memory.push(samples);
}

async function newWordsOf(live: LiveStream | undefined, finished: boolean): Promise<Word[]> {
  if (!live) return [];
  if (finished) await live.transcript.memory.finish();
  return within(await live.transcript.advance(finished), live.samples / ASR_SAMPLE_RATE);
}

/** The last sound is filled up with silence, where no word is. */
const within = (words: Word[], endSeconds: number): Word[] =>
  words.map((word) => ({
    ...word,
    start: Math.min(word.start, endSeconds),
    end: Math.min(word.end, endSeconds),
  }));

function recognizeRecording(task: RecognitionTask): Promise<number> {
  const biasing = openBiasing(keywordVocabulary, task.keywords);
  return recognizeSegments(task, {
    findSpans,
    longestSeconds: LONGEST_SECONDS,
    async recognizeSpan(samples, offset) {
      const once = {
        biasing,
        stepFrames: Number.POSITIVE_INFINITY,
        aligned: task.wordTimes && config.attends,
      };
      const transcript = new Transcript(model, once);
      await transcript.memory.push(samples);
      await transcript.memory.finish();
      const words = within(await transcript.advance(true), samples.length / ASR_SAMPLE_RATE);
      return {
        words: words.map((word) => ({ ...word, start: word.start + offset, end: word.end + offset })),
      };
    },
  });
}
