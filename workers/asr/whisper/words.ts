/**
 * Groups Whisper's tokens into words, and places each in time by the decoder's cross attention.
 *
 *   attention [heads, tokens, frames] ──normalize over tokens, median of 7 frames, mean of heads──> DTW ──> a time each
 *
 * Source: the word timestamps of openai/whisper.
 */
import { medianFilter, warp } from "../alignment.ts";

/** The attention of each head: `tokens` rows of `frames`. */
export type Attention = { tokens: number; frames: number; heads: Float32Array[] };

/** Text with the space before it, if any, and its tokens. */
export type TokenWord = { text: string; tokens: number[] };

const FRAME_SECONDS = 0.02;
const MEDIAN_WIDTH = 7;

/** The start of each row in seconds, then the end of the last: one value more than there are rows. */
export function rowTimes({ tokens, frames, heads }: Attention): number[] {
  const cost = new Float64Array(tokens * frames);
  for (const head of heads) {
    const clear = normalized(head, tokens, frames);
    for (let row = 0; row < tokens; row++) {
      const smooth = medianFilter(clear.subarray(row * frames, (row + 1) * frames), MEDIAN_WIDTH);
      for (let frame = 0; frame < frames; frame++)
        cost[row * frames + frame]! -= smooth[frame]! / heads.length;
    }
  }
  const times: number[] = [];
  for (const { row, column } of warp({ rows: tokens, columns: frames, values: cost }))
    if (row === times.length) times.push(column * FRAME_SECONDS);
  return [...times, frames * FRAME_SECONDS];
}

/** Each frame to mean zero and deviation one over the tokens. */
function normalized(head: Float32Array, tokens: number, frames: number): Float64Array {
  const clear = new Float64Array(tokens * frames);
  for (let frame = 0; frame < frames; frame++) {
    let [sum, squares] = [0, 0];
    for (let row = 0; row < tokens; row++) sum += head[row * frames + frame]!;
    const mean = sum / tokens;
    for (let row = 0; row < tokens; row++) squares += (head[row * frames + frame]! - mean) ** 2;
    const deviation = Math.sqrt(squares / tokens) || 1;
    for (let row = 0; row < tokens; row++)
      clear[row * frames + frame] = (head[row * frames + frame]! - mean) / deviation;
  }
  return clear;
}

/** Languages without spaces between words: each complete character counts as one. */
const UNSPACED = new Set(["zh", "ja", "th", "lo", "my", "yue"]);
const BEFORE = "\"'“¿([{-";
const AFTER = "\"'.。,，!！?？:：”)]}、";

/** `decode` gives tokens their text; an incomplete character decodes to U+FFFD. */
export function splitWords(
  tokens: readonly number[],
  language: string,
  decode: (tokens: readonly number[]) => string,
): TokenWord[] {
  const letters = wholeLetters(tokens, decode);
  const words: TokenWord[] = [];
  for (const piece of letters) {
    const begins = UNSPACED.has(language) || piece.text.startsWith(" ") || words.length === 0;
    if (begins) words.push({ ...piece });
    else join(words.at(-1)!, piece);
  }
  return withMarks(words);
}

function wholeLetters(tokens: readonly number[], decode: (tokens: readonly number[]) => string): TokenWord[] {
  const pieces: TokenWord[] = [];
  let waiting: number[] = [];
  for (const token of tokens) {
    waiting.push(token);
    const text = decode(waiting);
    if (text.includes("\uFFFD")) continue;
    pieces.push({ text, tokens: waiting });
    waiting = [];
  }
  if (waiting.length > 0) pieces.push({ text: decode(waiting), tokens: waiting });
  return pieces;
}

function join(word: TokenWord, piece: TokenWord): void {
  word.text += piece.text;
  word.tokens = [...word.tokens, ...piece.tokens];
}

/** Joins opening punctuation to the word after it, and closing punctuation to the word before it. */
function withMarks(words: TokenWord[]): TokenWord[] {
  const merged: TokenWord[] = [];
  let opening: TokenWord | null = null;
  for (const word of words) {
    const bare = word.text.trim();
    if (
      bare !== "" &&
      [...bare].every((letter) => AFTER.includes(letter)) &&
      !word.text.startsWith(" ") &&
      merged.length > 0
    ) {
      join(merged.at(-1)!, word);
    } else if (word.text.startsWith(" ") && bare !== "" && BEFORE.includes(bare) && opening === null) {
      opening = { ...word };
    } else {
      if (opening) {
        merged.push({
          text: opening.text + word.text.trimStart(),
          tokens: [...opening.tokens, ...word.tokens],
        });
        opening = null;
      } else merged.push(word);
    }
  }
  return opening ? [...merged, opening] : merged;
}
