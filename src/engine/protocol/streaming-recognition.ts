/** What crosses to a thread that hears many live streams at once, and what comes back. */
import type { Word } from "./task.ts";

/** Everything a thread is told at a time. Ids are new for every stream. */
export type StreamingTask = {
  open: { id: number; language: string | null }[];
  /** Samples at 16 kHz. */
  feed: { id: number; samples: Float32Array }[];
  /** Nothing more comes: what is left is heard to its end. */
  finish: number[];
  close: number[];
};

/** What one stream's samples came to: words that will not change any more, in seconds of the stream. */
export type StreamingAnswer = { id: number; words: Word[]; language: string | null };
