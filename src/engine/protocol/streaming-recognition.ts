/** The task and the results of a thread that recognizes many live streams at once: plain data only. */
import type { Word } from "./recognition.ts";

/** Everything that happened to the streams since the last task. Ids are new for every stream. */
export type StreamingTask = {
  kind: "streaming-recognition";
  open: { id: number; language: string | null; keywords?: readonly string[] }[];
  /** Samples at 16 kHz. */
  feed: { id: number; samples: Float32Array }[];
  /** These streams have ended: their remaining samples are recognized. */
  finish: number[];
  close: number[];
};

/** New words of one stream that will not change any more, in seconds of the stream. */
export type StreamingResult = { id: number; words: Word[]; language: string | null };
