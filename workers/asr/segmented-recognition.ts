/**
 * Recognition of a recording span by span, for engines whose input is bounded: a few spans at once, so that they are
 * batched with those of other callers, and their hypotheses in order.
 */
import type { Span } from "../../src/audio/energy-vad.ts";
import { ASR_SAMPLE_RATE } from "../../src/audio/rates.ts";
import type {
  Hypothesis,
  RecognitionTask,
  Speech,
  SpeechTask,
} from "../../src/engine/protocol/recognition.ts";
import { unknownKind } from "../../src/engine/protocol/task.ts";
import { isCancelled } from "../cancel.ts";
import { moving } from "../moving.ts";
import { joinNeighbours, type SpanFinder } from "../vad/segmentation.ts";
import { heldToSound, soundIn } from "./sounding-words.ts";

const SPANS_AT_ONCE = 8;

export type SegmentedRecognition = {
  findSpans: SpanFinder;
  longestSeconds: number;
  /** One span of at most `longestSeconds`; `offset` is where it begins, in seconds. */
  recognizeSpan: (
    samples: Float32Array,
    offset: number,
    task: RecognitionTask,
  ) => Promise<Omit<Hypothesis, "start" | "end">>;
};

type Finder = Pick<SegmentedRecognition, "findSpans" | "longestSeconds">;

/** What such an engine is asked to do: `recognize` is for recordings. */
export function recognizeOrFind(
  task: RecognitionTask | SpeechTask,
  finder: Finder,
  recognize: (task: RecognitionTask) => Promise<number>,
): Promise<number | Speech> {
  switch (task.kind) {
    case "recognition":
      return recognize(task);
    case "speech-search":
      return findSpeech(task, finder);
    default:
      return unknownKind(task);
  }
}

/** The spans that `recognizeSegments` would recognize. */
async function findSpeech({ recording }: SpeechTask, { findSpans, longestSeconds }: Finder): Promise<Speech> {
  const spans = joinNeighbours(await findSpans(recording), longestSeconds * ASR_SAMPLE_RATE);
  return moving({ recording, spans }, recording.buffer);
}

/** Returns how many hypotheses it posted. */
export async function recognizeSegments(
  task: RecognitionTask,
  { findSpans, longestSeconds, recognizeSpan }: SegmentedRecognition,
): Promise<number> {
  const { samples, cancel, port } = task;
  const spans = joinNeighbours(task.spans ?? (await findSpans(samples)), longestSeconds * ASR_SAMPLE_RATE);
  const started: Promise<Hypothesis>[] = [];
  const start = (span: Span | undefined) => {
    if (!span) return;
    const [from, end] = [span.start / ASR_SAMPLE_RATE, span.end / ASR_SAMPLE_RATE];
    const spoken = samples.subarray(span.start, span.end);
    const hypothesis = recognizeSpan(spoken, from, task).then(({ words, ...rest }) => ({
      start: from,
      end,
      words: heldToSound(words, soundIn(spoken, from)),
      ...rest,
    }));
    hypothesis.catch(() => {}); // after a cancellation its failure is ignored
    started.push(hypothesis);
  };
  for (const span of spans.slice(0, SPANS_AT_ONCE)) start(span);
  for (let posted = 0; posted < spans.length; posted++) {
    const hypothesis = isCancelled(cancel) ? null : await unlessCancelled(started[posted]!, cancel);
    if (hypothesis === null) return posted;
    port.postMessage(hypothesis);
    start(spans[posted + SPANS_AT_ONCE]);
  }
  return spans.length;
}

/** Null: its work ended with the task. */
async function unlessCancelled<Result>(work: Promise<Result>, cancel: Int32Array): Promise<Result | null> {
  try {
    return await work;
  } catch (reason) {
    if (isCancelled(cancel)) return null;
    throw reason;
  }
}
