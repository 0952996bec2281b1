/** A text in pieces, of which some are words with the time at which they are heard. Pure. */

type WordTime = { word: string; start_time: number };
/** `start` is in seconds; null for what stands between words, or is not heard. */
export type Piece = { from: number; text: string; start: number | null };

/** The words are in order, as they stand in the text. */
export function piecesOf(text: string, words: readonly WordTime[]): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  for (const { word, start_time } of words) {
    const from = text.indexOf(word, at);
    if (from === -1) continue;
    if (from > at) pieces.push({ from: at, text: text.slice(at, from), start: null });
    pieces.push({ from, text: word, start: start_time });
    at = from + word.length;
  }
  if (at < text.length) pieces.push({ from: at, text: text.slice(at), start: null });
  return pieces;
}

/** The piece at a position of the text; none at its end. */
export const pieceAt = (pieces: readonly Piece[], position: number): Piece | undefined =>
  pieces.find(({ from, text }) => position >= from && position < from + text.length);

/** Where the word that is heard at a time begins in the text; -1 before the first. */
export const currentAt = (pieces: readonly Piece[], seconds: number): number =>
  pieces.findLast(({ start }) => start !== null && start <= seconds)?.from ?? -1;
