/** How many seconds of audio a task of an engine produced or recognized, by what the engine does. */
import { ASR_SAMPLE_RATE, TTS_SAMPLE_RATE } from "../../audio/rates.ts";
import type { RecognitionTask } from "../protocol/recognition.ts";
import type { StreamingTask } from "../protocol/streaming-recognition.ts";
import { type SynthesisResult, samplesOf } from "../protocol/synthesis.ts";
import { isVoiceEncoding } from "../protocol/voice-encoding.ts";

/** Reads the task before it is sent, because its samples may move to another thread; then the result. */
export type AudioSeconds = (task: object) => (result: unknown) => number;

/** A measured length is no audio, and neither is an encoded voice. */
const synthesized: AudioSeconds = (task) => (result) =>
  typeof result === "number" || isVoiceEncoding(task)
    ? 0
    : samplesOf(result as Exclude<SynthesisResult, number>).length / TTS_SAMPLE_RATE;

/** Nothing where the caller left: the recording may be incomplete; nor where speech was only looked for. */
const recognized: AudioSeconds = (task) => {
  if ("recording" in task) return () => 0;
  const { samples, cancel } = task as RecognitionTask;
  const seconds = samples.length / ASR_SAMPLE_RATE;
  return () => (cancel[0] === 0 ? seconds : 0);
};

/** Such an engine recognizes files too. */
const streamed: AudioSeconds = (task) => {
  if (!("feed" in task)) return recognized(task);
  const { feed } = task as StreamingTask;
  const seconds = feed.reduce((sum, { samples }) => sum + samples.length, 0) / ASR_SAMPLE_RATE;
  return () => seconds;
};

const BY_TASK: Record<string, AudioSeconds> = {
  synthesis: synthesized,
  recognition: recognized,
  "streaming-recognition": streamed,
};

/** Null for engines that neither speak nor recognize. */
export const audioSecondsOf = (task: string): AudioSeconds | null => BY_TASK[task] ?? null;
