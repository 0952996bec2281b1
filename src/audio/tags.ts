/** What a file of speech tells of itself: titles, chapters and a picture. */

export type Picture = { type: "image/jpeg" | "image/png"; bytes: Buffer };

/** Times in seconds, in order. Null: it has none. */
export type Tags = {
  title: string | null;
  artist: string | null;
  album: string | null;
  /** Of so many, from 1. */
  track: { number: number; of: number } | null;
  chapters: readonly { title: string; start: number; end: number }[];
  cover: Picture | null;
};
