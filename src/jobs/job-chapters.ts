/**
 * How far each chapter of a job that speaks is. Its row keeps them as JSON.
 *
 *   pieces ──spoken──> encoded, `bytes` ──charged──> paid, which may be downloaded
 */
import { TTS_SAMPLE_RATE } from "../audio/rates.ts";
import type { JobRow } from "../db/queries/job-rows.ts";

export type Chapter = {
  /** Of its text, in code points. */
  sent: number;
  pieces: number;
  /** Of the pieces that are spoken: what they are charged as, and their samples. */
  characters: number;
  samples: number;
  /** Of its file; null: it is not encoded yet. */
  bytes: number | null;
  isPaid: boolean;
};

/** Beside what is charged, chapters of one clip have some silence between them. */
const GAP_SAMPLES = TTS_SAMPLE_RATE;

export const chaptersOf = ({ chapters }: Pick<JobRow, "chapters">): Chapter[] => JSON.parse(chapters ?? "[]");

/** Of the pieces of all chapters, the numbers of its first one and of the one behind it. */
export function piecesIn(chapters: readonly Chapter[], index: number): { from: number; to: number } {
  const from = chapters.slice(0, index).reduce((sum, { pieces }) => sum + pieces, 0);
  return { from, to: from + chapters[index]!.pieces };
}

/** Where each chapter begins and ends in the whole, in samples, as far as they are spoken. */
export function placesOf(chapters: readonly Chapter[]): { start: number; end: number }[] {
  let at = 0;
  return chapters.map(({ samples }, index) => {
    const start = index === 0 ? 0 : at + GAP_SAMPLES;
    at = start + samples;
    return { start, end: at };
  });
}

export const secondsOfSound = (samples: number): number => samples / TTS_SAMPLE_RATE;

/** The one that is spoken and not paid yet; -1: none is. */
export const owedIn = (chapters: readonly Chapter[]): number =>
  chapters.findIndex(({ bytes, isPaid }) => bytes !== null && !isPaid);

export const charactersPaid = (chapters: readonly Chapter[]): number =>
  chapters.reduce((sum, { characters, isPaid }) => sum + (isPaid ? characters : 0), 0);

/** What is to be spoken and paid yet: what was read where that is more than was sent. */
export const charactersLeft = (chapters: readonly Chapter[]): number =>
  chapters.reduce((sum, { sent, characters, isPaid }) => sum + (isPaid ? 0 : Math.max(sent, characters)), 0);
