/**
 * Captions of a clip: the words of the caller's text, with the marks around them, a line or two at a time.
 *
 *   Good morning, dear world.   0.1 – 1.6        a new caption at a sentence, a pause, or when a caption is full
 */

import { visibleText } from "../text/visible-text.ts";
import type { WordTime } from "./timeline.ts";

/** Text that is shown from `start` to `end`, in seconds. */
export type Caption = { start: number; end: number; text: string };

const LONGEST = 80; // characters, two lines of subtitles
const PAUSE = { anywhere: 0.7, sentence: 0.1 }; // seconds; the stop of an abbreviation is no pause
/** Marks that end what is before them, after a space in French, or after an element. */
const ENDING = /^\s+[.,;:!?…)\]»”]+(?=\s|$)/;

export function captionsOf(text: string, words: readonly WordTime[]): Caption[] {
  const captions: (Caption & { from: number; to: number })[] = [];
  const plain = visibleText(text).text;
  let at = 0;
  for (const { word, start_time: start, end_time: end } of words) {
    const found = plain.indexOf(word, at);
    const from = found === -1 ? at : found;
    at = found === -1 ? at : found + word.length;
    const open = captions.at(-1);
    const isFull = open && at - open.from > LONGEST;
    const needed = open && /[.!?。！？]/.test(plain.slice(open.to, from)) ? PAUSE.sentence : PAUSE.anywhere;
    const isApart = open && start - open.end > needed;
    if (open && !isFull && !isApart) Object.assign(open, { end, to: at });
    else captions.push({ start, end, text: "", from, to: at });
  }
  let before = 0; // where the caption before ends
  return captions.map(({ start, end, from, to }, index) => {
    const first = leading(plain, before, from);
    before = trailing(plain, to, captions[index + 1]?.from ?? plain.length);
    return { start, end, text: onOneLine(plain.slice(first, before)) };
  });
}

/** Where the marks in front of a word begin. */
function leading(text: string, before: number, from: number): number {
  let first = from;
  while (first > before && !/\s/.test(text[first - 1]!)) first--;
  const quote = text.lastIndexOf("«", first);
  return quote >= before && text.slice(quote + 1, first).trim() === "" ? quote : first;
}

/** Where the marks behind a word end. */
function trailing(text: string, from: number, next: number): number {
  let to = from;
  while (to < next && !/\s/.test(text[to]!)) to++;
  return to + (ENDING.exec(text.slice(to, next))?.[0].length ?? 0);
}

const onOneLine = (text: string): string =>
  text
    .replace(/\s+/g, " ")
    .replace(/ (?=[.,](?: |$))/g, "")
    .trim();
