/**
 * Cues of subtitles: words cut into at most two lines of 42 columns and 7 s, where a reader would pause. Pure.
 *
 *   one segment of 11 s    ├────────────── It was late, so we … ─────────────┤
 *   its cues               ├─ It was late, so we … ─┤├── … ──┤├───── … ──────┤
 */
import { joined } from "./transcript.ts";

/** A word, in seconds; `glued`: no space stands before it. */
type CueWord = { text: string; start: number; end: number; glued?: boolean };

/** Text that is shown from `start` to `end`, in seconds. The times of words that are not given are estimated. */
export type Cue = {
  start: number;
  end: number;
  text: string;
  speaker?: string | undefined;
  words?: readonly CueWord[] | undefined;
};

/** A cue that can be read: its words joined are its text. */
export type ReadableCue = Cue & { words: readonly CueWord[] };

const LINE_COLUMNS = 42;
const LINES_MAX = 2;
const SECONDS_MAX = 7;
/** What is kept free for a speaker's name; a longer one may take a line more. */
const NAME_COLUMNS = 20;

/** A segment as cues. A word that is longer than a cue may be is a cue of its own. */
export function readableCues(segment: Cue): ReadableCue[] {
  const { speaker } = segment;
  const words = segment.words?.length ? segment.words : estimatedWords(segment);
  const free = speaker === undefined ? 0 : Math.min(columnsOf(`${speaker}: `), NAME_COLUMNS);
  const runs = bestRuns(words, free);
  if (runs.length < 2) return [{ ...segment, words }];
  return runs.map((run) => ({
    start: run[0]!.start,
    end: run.at(-1)!.end,
    text: joined(run),
    speaker,
    words: run,
  }));
}

/** Two lines of alike length where two are needed; the first begins with `before`. */
export function linesOf({ words }: ReadableCue, before = ""): string[] {
  const tokens = before === "" ? words : [{ text: before }, ...words];
  const filled = fill(tokens, LINE_COLUMNS);
  if (filled.length !== LINES_MAX) return filled;
  let narrowest = filled;
  for (let columns = LINE_COLUMNS - 1; columns > 0; columns--) {
    const lines = fill(tokens, columns);
    if (lines.length > LINES_MAX || lines.some((line) => columnsOf(line) > columns)) break;
    narrowest = lines;
  }
  return narrowest;
}

type Token = Pick<CueWord, "text" | "glued">;

function fill(tokens: readonly Token[], columns: number): string[] {
  const lines: string[] = [];
  let filled = 0;
  for (const { text, glued } of tokens) {
    const width = columnsOf(text);
    const space = glued ? 0 : 1;
    if (lines.length > 0 && filled + space + width <= columns) {
      lines[lines.length - 1] += `${glued ? "" : " "}${text}`;
      filled += space + width;
    } else {
      lines.push(text);
      filled = width;
    }
  }
  return lines;
}

const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303f\uff00-\uff60]/gu;
const COMBINING = /\p{M}/gu;

/** Characters of Chinese, Japanese and Korean take two columns, marks that combine none. */
function columnsOf(text: string): number {
  let columns = 0;
  for (const _ of text) columns++;
  return columns + (text.match(WIDE)?.length ?? 0) - (text.match(COMBINING)?.length ?? 0);
}

/** The words in cues, by the cheapest cuts; the work grows with the words, times those of one cue. */
function bestRuns(words: readonly CueWord[], free: number): CueWord[][] {
  const widths = words.map(({ text }) => columnsOf(text));
  const best = words.map(() => ({ cost: Number.POSITIVE_INFINITY, from: 0 }));
  for (const from of words.keys()) {
    const cost = CUE_COST + (best[from - 1]?.cost ?? 0);
    let line = 1;
    let columns = free;
    for (let to = from; to < words.length; to++) {
      const space = to === from || words[to]!.glued ? 0 : 1;
      const isNext = columns > 0 && columns + space + widths[to]! > LINE_COLUMNS;
      columns = isNext ? widths[to]! : columns + space + widths[to]!;
      if (isNext) line++;
      const isLong = line > LINES_MAX || words[to]!.end - words[from]!.start > SECONDS_MAX;
      if (isLong && to > from) break;
      const whole = cost + cutCost(words, to);
      if (whole <= best[to]!.cost) best[to] = { cost: whole, from };
    }
  }
  const runs: CueWord[][] = [];
  for (let to = words.length; to > 0; to = best[to - 1]!.from) runs.push(words.slice(best[to - 1]!.from, to));
  return runs.reverse();
}

/** As much as two cuts between words that belong together: fewer cues are better than finer ones. */
const CUE_COST = 6;
const CUT = { sentence: 0, clause: 1, word: 3, glued: 5 };
const PAUSE_SECONDS = 0.3;

/** What it costs a reader that a cue ends with this word. */
function cutCost(words: readonly CueWord[], at: number): number {
  const [last, next] = [words[at]!, words[at + 1]];
  if (!next || /[.?!…。！？]["'”’)\]]*$/u.test(last.text)) return CUT.sentence;
  if (/[,;:、，；：—–]["'”’)\]]*$/u.test(last.text)) return CUT.clause;
  if (next.start - last.end >= PAUSE_SECONDS) return CUT.clause;
  return next.glued ? CUT.glued : CUT.word;
}

/** Words of a text that has none with times: each takes of the time what it takes of the text. */
function estimatedWords({ text, start, end }: Cue): CueWord[] {
  const tokens = text.split(/\s+/).filter(Boolean).flatMap(unspaced);
  const total = tokens.reduce((sum, token) => sum + token.text.length, 0);
  const timeAt = (letters: number) => start + ((end - start) * letters) / total;
  let at = 0;
  return tokens.map((token) => {
    const from = at;
    at += token.text.length;
    return { ...token, start: timeAt(from), end: timeAt(at) };
  });
}

/** A text without spaces as its words, each with the marks behind it, if it is longer than half a line. */
function unspaced(text: string): Token[] {
  if (columnsOf(text) <= LINE_COLUMNS / 2 || !text.match(WIDE)) return [{ text }];
  const tokens: Token[] = [];
  for (const { segment } of new Intl.Segmenter(undefined, { granularity: "word" }).segment(text)) {
    const last = tokens.at(-1);
    if (last && /^[\p{P}\p{S}]+$/u.test(segment)) last.text += segment;
    else tokens.push({ text: segment, glued: last !== undefined });
  }
  return tokens;
}
