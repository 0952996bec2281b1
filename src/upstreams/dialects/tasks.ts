/** One segment synthesized, and one piece of a recording recognized, by one request each. */

import { join, joinAll } from "../../audio/pcm.ts";
import { ASR_SAMPLE_RATE, TTS_SAMPLE_RATE } from "../../audio/rates.ts";
import { timeStretch } from "../../audio/time-stretch.ts";
import { spokenWordsMax } from "../../engine/answers/speech-bounds.ts";
import { jsonBytesMax } from "../../engine/answers/transcript-bounds.ts";
import type { Hypothesis, RecognitionTask } from "../../engine/protocol/recognition.ts";
import {
  type SpokenWord,
  type SynthesisResult,
  type SynthesisTask,
  samplesOf,
  type TimedSamples,
} from "../../engine/protocol/synthesis.ts";
import { openExchange, readJson, type Sending } from "../transport/exchange.ts";
import { UpstreamFailure } from "../transport/failure.ts";
import type { SpeechFlags, TranscriptionFlags } from "./preset.ts";
import { hypothesesOf } from "./recognition-answer.ts";
import { recognitionRequest } from "./recording-form.ts";
import { synthesisRequest } from "./speech-body.ts";
import { SpeechReader } from "./speech-reader.ts";

/** `answered` is called when all went well, with the time to the first byte. */
type Answered = { answered: (latencyMs: number) => void };

type Segment = Answered & {
  flags: SpeechFlags;
  model: string;
  /** Receives samples while they arrive; the result is then the rest. */
  deliver: ((samples: Float32Array) => void) | undefined;
};

/** Where the server does not reach the speed, its audio is stretched, once all of the segment has arrived. */
export async function synthesizeSegment(
  task: SynthesisTask,
  segment: Segment,
  sending: Sending,
): Promise<SynthesisResult> {
  const { min, max } = segment.flags.speed ?? NATURAL;
  const speed = Math.min(max, Math.max(min, task.speed));
  if (speed === task.speed) return synthesizeAs(task, segment, sending);
  const result = await synthesizeAs({ ...task, speed }, { ...segment, deliver: undefined }, sending);
  return stretched(result, task.speed / speed);
}

const NATURAL = { min: 1, max: 1 };

function stretched(result: Float32Array | TimedSamples, tempo: number): Float32Array | TimedSamples {
  const samples = timeStretch(samplesOf(result), tempo, TTS_SAMPLE_RATE);
  if (result instanceof Float32Array) return samples;
  const at = (sample: number) => Math.min(samples.length, Math.round(sample / tempo));
  const words = result.words.map((word) => ({ ...word, start: at(word.start), end: at(word.end) }));
  return { samples, words };
}

async function synthesizeAs(
  task: SynthesisTask,
  { flags, model, deliver, answered }: Segment,
  sending: Sending,
): Promise<Float32Array | TimedSamples> {
  const begunMs = performance.now();
  const asked = deliver || !flags.files_whole ? flags : { ...flags, stream: "none" as const };
  using exchange = await openExchange(synthesisRequest(task, asked, model), sending);
  if (task.words) {
    const timed = timedSamples(await readJson(exchange), task, { flags });
    answered(performance.now() - begunMs);
    return timed;
  }
  const reader = new SpeechReader(task, { flags, contentType: exchange.contentType });
  let latencyMs: number | null = null;
  const gathered: Float32Array[] = [];
  for await (const chunk of exchange.chunks()) {
    latencyMs ??= performance.now() - begunMs;
    const samples = reader.push(chunk);
    if (samples.length === 0) continue;
    if (deliver) deliver(samples);
    else gathered.push(samples);
  }
  const last = reader.finish();
  answered(latencyMs ?? performance.now() - begunMs);
  return joinAll([...gathered, last]);
}

type RecordingPiece = Answered & {
  flags: TranscriptionFlags;
  model: string;
  piece: { samples: Float32Array; offsetSeconds: number };
};

export async function recognizePiece(
  task: RecognitionTask,
  { flags, model, piece, answered }: RecordingPiece,
  sending: Sending,
): Promise<Hypothesis[]> {
  const begunMs = performance.now();
  const seconds = piece.samples.length / ASR_SAMPLE_RATE;
  using exchange = await openExchange(recognitionRequest(piece.samples, task, { flags, model }), sending);
  const hypotheses = hypothesesOf(await readJson(exchange, jsonBytesMax(seconds)), piece, flags);
  answered(performance.now() - begunMs);
  return hypotheses;
}

type Reading = { flags: Pick<SpeechFlags, "audio" | "rate"> };

/**
 * A clip with the times of its words, as one JSON object: the answer of `/dev/captioned_speech`.
 *
 * Throws `UpstreamFailure` where it is no such object, or its audio cannot be that of the task. @internal
 */
export function timedSamples(answer: unknown, task: SynthesisTask, { flags }: Reading): TimedSamples {
  const { audio, timestamps } = (answer ?? {}) as { audio?: unknown; timestamps?: unknown };
  if (typeof audio !== "string" || !Array.isArray(timestamps))
    throw new UpstreamFailure("faulty", "the answer has no audio with times");
  if (timestamps.length > spokenWordsMax(task.text))
    throw new UpstreamFailure("faulty", `${timestamps.length} words for ${task.text.length} characters`);
  const reader = new SpeechReader(task, { flags, contentType: "" });
  const first = reader.push(Buffer.from(audio, "base64"));
  const samples = join(first, reader.finish());
  return {
    samples,
    words: wordsIn(task.text, timestamps, { dropped: reader.dropped, until: samples.length }),
  };
}

/** Each word where it stands in the text; marks alone and words that do not stand there are left out. */
function wordsIn(
  text: string,
  timestamps: unknown[],
  { dropped, until }: { dropped: number; until: number },
) {
  const words: SpokenWord[] = [];
  let [place, last] = [0, 0];
  const sampleAt = (seconds: unknown) => {
    const at = Math.round(Number(seconds) * TTS_SAMPLE_RATE) - dropped;
    return Math.min(until, Math.max(last, Number.isFinite(at) ? at : 0));
  };
  for (const each of timestamps) {
    const { word, start_time, end_time } = (each ?? {}) as Partial<Record<string, unknown>>;
    const from = typeof word === "string" && /[\p{L}\p{N}]/u.test(word) ? text.indexOf(word, place) : -1;
    if (from < 0) continue;
    place = from + String(word).length;
    const start = sampleAt(start_time);
    last = start;
    last = sampleAt(end_time);
    words.push({ from, to: place, start, end: last });
  }
  return words;
}
