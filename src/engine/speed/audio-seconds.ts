/** How many seconds of audio a task of an engine produced or recognized, by what the task asks for. */
import { ASR_SAMPLE_RATE, TTS_SAMPLE_RATE } from "../../audio/rates.ts";
import { type ResultOf, type Task, unknownKind } from "../protocol/task.ts";

/** Reads the task before it is sent, because its samples may move to another thread; then the result. */
export type AudioSeconds = (task: Task) => (result: ResultOf<Task>) => number;

const none = () => 0;

const audioSeconds: AudioSeconds = (task) => {
  switch (task.kind) {
    case "synthesis":
      return spokenSeconds;
    case "recognition": {
      const { samples, cancel } = task;
      const seconds = samples.length / ASR_SAMPLE_RATE;
      return () => (cancel[0] === 0 ? seconds : 0); // where the caller left, the recording may be incomplete
    }
    case "streaming-recognition": {
      const seconds = task.feed.reduce((sum, { samples }) => sum + samples.length, 0) / ASR_SAMPLE_RATE;
      return () => seconds;
    }
    case "voice-encoding":
    case "speech-search":
    case "turn":
    case "voice-activity":
    case "speaker-windows":
    case "speaker-voice":
    case "speakers":
    case "phonemes":
    case "plan":
    case "origins":
      return none;
    default:
      return unknownKind(task);
  }
};

/** A measured length is no audio. */
function spokenSeconds(result: ResultOf<Task>): number {
  if (result instanceof Float32Array) return result.length / TTS_SAMPLE_RATE;
  return isTimed(result) ? result.samples.length / TTS_SAMPLE_RATE : 0;
}

const isTimed = (result: ResultOf<Task>) => typeof result === "object" && "samples" in result;

/** Null for engines that neither speak nor recognize, by the task of their family. */
export const audioSecondsOf = (task: string): AudioSeconds | null =>
  ["synthesis", "recognition", "streaming-recognition"].includes(task) ? audioSeconds : null;
