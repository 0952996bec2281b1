/**
 * Cuts long texts into pieces that are spoken one by one: at paragraphs, else behind sentences, else between words. Where it
 * cuts follows from the text alone, so that each node that goes on with a job cuts it in the same places.
 */
import { TITLE_MAX } from "../metered/request-limits.ts";
import { PAUSE_MS } from "../speech/plan.ts";
import { isSsml } from "../speech/script/read-script.ts";

/** `pauseMs`: after it, unless it is the last of its chapter. */
export type TextPiece = { text: string; pauseMs: number };

/** In UTF-16 code units: about a minute and a half of speech. */
const PIECE_MAX = 1500;

/** SSML is one piece. */
export function* textPieces(text: string): Generator<TextPiece> {
  if (isSsml(text)) return yield { text, pauseMs: PAUSE_MS.paragraph };
  for (let from = 0; from < text.length; ) {
    const { to, pauseMs } = endOf(text, from);
    const piece = text.slice(from, to);
    if (piece.trim() !== "") yield { text: piece, pauseMs };
    from = to;
  }
}

/** Each with the pause that is made there. The last match within reach is taken. */
const CUTS: [RegExp, number][] = [
  [/\n[^\S\n]*\n\s*/g, PAUSE_MS.paragraph],
  [/\n\s*/g, PAUSE_MS.line],
  [/[.!?…][\p{Pf}\p{Pe}"']*\s+|[。！？][」』”]*/gu, PAUSE_MS.sentence],
  [/\s+/g, PAUSE_MS.piece],
];

function endOf(text: string, from: number): { to: number; pauseMs: number } {
  const reach = text.slice(from, from + PIECE_MAX);
  if (from + reach.length === text.length) return { to: text.length, pauseMs: PAUSE_MS.paragraph };
  for (const [pattern, pauseMs] of CUTS) {
    let end = 0;
    for (const { 0: mark, index } of reach.matchAll(pattern))
      if (reach.slice(0, index).trim() !== "") end = index + mark.length;
    if (end > 0) return { to: from + end, pauseMs };
  }
  const isPair = /[\ud800-\udbff]$/.test(reach);
  return { to: from + reach.length - (isPair ? 1 : 0), pauseMs: PAUSE_MS.piece };
}

/** Unicode code points, counted without a list of them. */
export function codePointsIn(text: string): number {
  let count = text.length;
  for (let index = 0; index < text.length - 1; index++)
    if ((text.charCodeAt(index) & 0xfc00) === 0xd800 && (text.charCodeAt(index + 1) & 0xfc00) === 0xdc00) {
      count--;
      index++;
    }
  return count;
}

export type TitledText = { title: string; text: string };

const HEADING = /^ {0,3}#{1,2}[ \t]+(\S.*)$/;
const FENCE = /^ {0,3}(?:```|~~~)/;

/** Without the marks that may end a heading. */
function withoutMarks(heading: string): string {
  const words = heading.trim().split(/[ \t]+/);
  if (words.length > 1 && /^#+$/.test(words.at(-1)!)) words.pop();
  return words.join(" ");
}

/**
 * Divides Markdown at its headings of the first two levels, outside of code. What stands before the first one is a chapter
 * without a title; a heading with nothing below it belongs to the next.
 */
export function chaptersAtHeadings(text: string): TitledText[] {
  const chapters: TitledText[] = [];
  let isCode = false;
  let title = "";
  let from = 0;
  let hasText = false;
  let at = 0;
  const end = (to: number) => {
    const part = text.slice(from, to);
    if (part.trim() !== "") chapters.push({ title, text: part });
    from = to;
  };
  for (const line of text.split("\n")) {
    if (FENCE.test(line)) isCode = !isCode;
    const heading = isCode || line.length > TITLE_MAX ? null : HEADING.exec(line.replace(/\r$/, ""));
    if (heading) {
      if (hasText) end(at);
      title = withoutMarks(heading[1]!);
      hasText = false;
    } else if (line.trim() !== "") hasText = true;
    at += line.length + 1;
  }
  end(text.length);
  return chapters;
}
