/**
 * Words of Moonshine's tokens, and when each was said: where the decoder looked when it chose the tokens.
 *
 *   attention [heads, tokens, frames] ──each row normalized, median of 7 frames, mean of heads──> warped ──> frames
 *
 * Words whose times overlap meet in the middle. Source: the word times of moonshine-ai/moonshine.
 */
import { medianFilter, warp } from "../alignment.ts";
import { FRAME_SECONDS } from "./memory.ts";
import type { MoonshinePieces } from "./pieces.ts";
import type { Decoded } from "./search.ts";

/** Tokens `from` to `to`, the end excluded. */
export type TokenWord = { text: string; from: number; to: number; glued: boolean };

const MEDIAN_WIDTH = 7;
/** Closing punctuation belongs to the word before it. */
const CLOSING = /^[.,!?;:%…)\]}»”’"。、！？」]+$/u;

export function tokenWords(tokens: readonly number[], pieces: MoonshinePieces): TokenWord[] {
  const starts = tokens.flatMap((token, at) => (at === 0 || pieces.beginsWord(token) ? [at] : []));
  const words: TokenWord[] = [];
  for (const [index, from] of starts.entries()) {
    const to = starts[index + 1] ?? tokens.length;
    const text = pieces.decode(tokens.slice(from, to));
    const last = words.at(-1);
    if (last && (text === "" || CLOSING.test(text))) {
      last.text += text;
      last.to = to;
    } else words.push({ text, from, to, glued: pieces.isGlued(tokens[from]!) });
  }
  return words.filter(({ text }) => text !== "");
}

/** Seconds of the memory. */
export type Time = { start: number; end: number };

/** When words were said that follow each other: their tokens are aligned with `frames.from` to `frames.to`. */
export function wordTimes(
  words: readonly TokenWord[],
  { attention, tokens }: Pick<Decoded, "attention" | "tokens">,
  frames: { from: number; to: number },
): Time[] {
  const first = words[0]?.from ?? 0;
  const count = tokens.length - first + 1; // the end of the text too
  const columns = frames.to - frames.from;
  if (columns <= 0)
    return words.map(() => ({ start: frames.to * FRAME_SECONDS, end: frames.to * FRAME_SECONDS }));
  const cost = new Float64Array(count * columns);
  for (let row = 0; row < count; row++)
    for (const [at, value] of clearly(attention(first + row))
      .subarray(frames.from, frames.to)
      .entries())
      cost[row * columns + at] = -value;
  const spans = spansOf(warp({ rows: count, columns, values: cost }), count);
  const times = words.map(({ from, to }) => ({
    start: (frames.from + spans[from - first]!.start) * FRAME_SECONDS,
    end: (frames.from + spans[to - 1 - first]!.end + 1) * FRAME_SECONDS,
  }));
  return meeting(times);
}

/** Without attention, the tokens from the first word on share the frames evenly. */
export function evenTimes(
  words: readonly TokenWord[],
  tokens: number,
  frames: { from: number; to: number },
): Time[] {
  const first = words[0]?.from ?? 0;
  const each = Math.max(0, frames.to - frames.from) / (tokens - first);
  const at = (token: number) => (frames.from + (token - first) * each) * FRAME_SECONDS;
  return words.map(({ from, to }) => ({ start: at(from), end: at(to) }));
}

/** Where most heads look: the mean of their rows, each with mean zero and deviation one. */
function clearly(heads: Float32Array[]): Float64Array {
  const sum = new Float64Array(heads[0]!.length);
  for (const head of heads)
    for (const [at, value] of medianFilter(normalized(head), MEDIAN_WIDTH).entries())
      sum[at]! += value / heads.length;
  return sum;
}

function normalized(row: Float32Array): Float64Array {
  const mean = row.reduce((sum, value) => sum + value, 0) / row.length;
  const variance = row.reduce((sum, value) => sum + (value - mean) ** 2, 0) / row.length;
  return Float64Array.from(row, (value) => (value - mean) / (Math.sqrt(variance) || 1e-10));
}

/** The first and the last column of each row of a path. */
function spansOf(path: readonly { row: number; column: number }[], rows: number): Time[] {
  const spans: Time[] = Array.from({ length: rows }, () => ({ start: Number.POSITIVE_INFINITY, end: 0 }));
  for (const { row, column } of path) {
    const span = spans[row]!;
    span.start = Math.min(span.start, column);
    span.end = Math.max(span.end, column);
  }
  return spans;
}

function meeting(times: Time[]): Time[] {
  for (const [index, time] of times.entries()) {
    const before = times[index - 1];
    if (!before || before.end <= time.start) continue;
    time.start = (before.end + time.start) / 2;
    before.end = time.start;
  }
  return times;
}
