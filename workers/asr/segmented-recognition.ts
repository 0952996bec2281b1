/**
 * What every engine that hears stretch by stretch does with a recording: a few stretches at once, so that they run
 * together with other callers', and their hypotheses in order.
 */
import type { Span } from "../../src/audio/energy-vad.ts";
import { ASR_SAMPLE_RATE } from "../../src/audio/rates.ts";
import type { Hypothesis, RecognitionTask } from "../../src/engine/protocol/recognition.ts";
import { joined, type SpanFinder } from "../vad/segmentation.ts";

const AHEAD = 8;

export type SegmentedRecognition = {
  findSpans: SpanFinder;
  longestSeconds: number;
  /** One stretch of at most `longestSeconds`; `offset` is where it begins, in seconds. */
  hear: (
    samples: Float32Array,
    offset: number,
    task: RecognitionTask,
  ) => Promise<Omit<Hypothesis, "start" | "end">>;
};

/** Answers how many hypotheses it posted. */
export async function recognizeSegments(
  task: RecognitionTask,
  { findSpans, longestSeconds, hear }: SegmentedRecognition,
): Promise<number> {
  const { samples, cancel, port } = task;
  const spans = joined(task.spans ?? (await findSpans(samples)), longestSeconds * ASR_SAMPLE_RATE);
  const asked: Promise<Hypothesis>[] = [];
  const ask = (span: Span | undefined) => {
    if (!span) return;
    const [start, end] = [span.start / ASR_SAMPLE_RATE, span.end / ASR_SAMPLE_RATE];
    const heard = hear(samples.subarray(span.start, span.end), start, task);
    const hypothesis = heard.then((found) => ({ start, end, ...found }));
    hypothesis.catch(() => {}); // one that nobody waits for any more may fail unheard
    asked.push(hypothesis);
  };
  for (const span of spans.slice(0, AHEAD)) ask(span);
  for (let posted = 0; posted < spans.length; posted++) {
    if (Atomics.load(cancel, 0) !== 0) return posted;
    port.postMessage(await asked[posted]!);
    ask(spans[posted + AHEAD]);
  }
  return spans.length;
}
