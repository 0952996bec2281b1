/**
 * Captions of a clip: the words of the caller's text with the marks around them, sentence by sentence.
 *
 *   Good morning, dear world.   0.1 – 1.6        a new caption at a sentence or a pause; subtitles cut long ones
 */

import { visibleText } from "../text/visible-text.ts";
import type { WordTime } from "./timeline.ts";

/** Text that is shown from `start` to `end`, in seconds; `words` joined are the text, but for `glued` ones with a space between. */
export type Caption = { start: number; end: number; text: string; words: CaptionWord[] };
type CaptionWord = { text: string; start: number; end: number; glued: boolean };

const PAUSE = { anywhere: 0.7, sentence: 0.1 }; // seconds; the stop of an abbreviation is no pause
/** Marks that end what is before them, after a space in French, or after an element. */
const ENDING = /^\s+[.,;:!?…)\]»”]+(?=\s|$)/;

export function captionsOf(text: string, words: readonly WordTime[]): Caption[] {
  const plain = visibleText(text).text;
  const placed = placedWords(plain, words);
  const captions: Caption[] = [];
  let before = 0; // where the word before ends, with its marks
  for (const [index, { start, end, from, to }] of placed.entries()) {
    const last = placed[index - 1];
    const isSentence = last && /[.!?。！？]/.test(plain.slice(last.to, from));
    const open =
      last && start - last.end <= (isSentence ? PAUSE.sentence : PAUSE.anywhere) && captions.at(-1);
    const first = open ? before : leading(plain, before, from);
    before = trailing(plain, to, placed[index + 1]?.from ?? plain.length);
    const word = {
      text: onOneLine(plain.slice(first, before)),
      start,
      end,
      glued: /^\S/.test(plain.slice(first)),
    };
    if (open) open.words.push(word);
    else captions.push({ start, end, text: "", words: [{ ...word, glued: false }] });
    captions.at(-1)!.end = end;
  }
  return captions.map((caption) => ({ ...caption, text: joined(caption.words) }));
}

const joined = (words: readonly CaptionWord[]): string =>
  words
    .map(({ text, glued }) => (glued ? text : ` ${text}`))
    .join("")
    .trim();

/** Each word with its place in the text; one that is not found stands where the one before it ends. */
function placedWords(plain: string, words: readonly WordTime[]) {
  let at = 0;
  return words.map(({ word, start_time: start, end_time: end }) => {
    const found = plain.indexOf(word, at);
    const from = found === -1 ? at : found;
    at = found === -1 ? at : found + word.length;
    return { start, end, from, to: at };
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
