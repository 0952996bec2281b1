/** The words of a caller's text as they are written, without the marks around them: what captions show and highlight. */
import { primaryLanguage } from "../../language-tag.ts";

/** `from` and `to` are code units of the text. */
export type CallerWord = { word: string; from: number; to: number };

const BEFORE = /[\p{Ps}\p{Pi}"'*_~`#<>¿¡|]/u;
const BEHIND = /[\p{Pe}\p{Pf}"'*_~`<>.,;:!?…|。，、！？；：]/u;
const SAYABLE = /[\p{L}\p{N}\p{S}&%@]/u;
/** Scripts whose words are not parted by spaces. */
const UNPARTED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

export function callerWords(text: string, language: string): CallerWord[] {
  return [...text.matchAll(/\S+/gu)].flatMap(({ 0: word, index }) =>
    UNPARTED.test(word) ? partedWords(word, index, language) : (strippedWord(word, index) ?? []),
  );
}

function strippedWord(word: string, offset: number): CallerWord | null {
  let [start, end] = [0, word.length];
  while (start < end && BEFORE.test(word[start]!)) start++;
  while (end > start && BEHIND.test(word[end - 1]!)) end--;
  const stripped = word.slice(start, end);
  return SAYABLE.test(stripped) ? { word: stripped, from: offset + start, to: offset + end } : null;
}

function partedWords(text: string, offset: number, language: string): CallerWord[] {
  const segments = segmenterOf(language).segment(text);
  return Array.from(segments).flatMap(({ segment, index, isWordLike }) =>
    isWordLike ? { word: segment, from: offset + index, to: offset + index + segment.length } : [],
  );
}

/** The runtime's own rules where the language is no tag. */
function segmenterOf(language: string): Intl.Segmenter {
  try {
    return new Intl.Segmenter(primaryLanguage(language), { granularity: "word" });
  } catch {
    return new Intl.Segmenter(undefined, { granularity: "word" });
  }
}
