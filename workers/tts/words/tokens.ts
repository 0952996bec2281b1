/** The words of a text and those of its phonemes, with what they weigh: about as much as they take to say. */
import { READ_ALOUD } from "../../../src/engine/protocol/signs.ts";
import type { Token } from "./align.ts";

/** Where every letter is a syllable or more, a letter is a word. */
const WORDS =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}]|[^\s\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}–]+/gu;
const DENSE = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}]/u;
const SPOKEN_MARK = /[%&+@]/;
const PAUSE = /[;:,.!?—…。，、！？；：]/u;
const CLOSING = /["')\]”»]/u;
const DIGIT_WEIGHT = 4; // "7" is said as "seven"
const DENSE_WEIGHT = 3;

/** Without what is not said. */
export function wordsOf(text: string): Token[] {
  const tokens: Token[] = [];
  for (const { 0: word, index } of text.matchAll(WORDS)) {
    const mark = endsInPause(word);
    if (READ_ALOUD.test(word) || SPOKEN_MARK.test(word))
      tokens.push({ from: index, to: index + word.length, weight: weightOf(word), mark });
    else if (tokens.length > 0) tokens.at(-1)!.mark ||= mark;
  }
  return tokens;
}

function weightOf(word: string): number {
  let weight = 0;
  for (const letter of word)
    if (/\p{N}/u.test(letter)) weight += DIGIT_WEIGHT;
    else if (DENSE.test(letter)) weight += DENSE_WEIGHT;
    else if (/\p{L}/u.test(letter)) weight += 1;
  return Math.max(weight, 1);
}

/** Where the last code unit of a kind stands, or -1. */
function lastOf(text: string, is: RegExp): number {
  let at = text.length - 1;
  while (at >= 0 && !is.test(text[at]!)) at--;
  return at;
}

function endsInPause(word: string): boolean {
  let at = word.length - 1;
  while (at > 0 && CLOSING.test(word[at]!)) at--;
  return PAUSE.test(word[at] ?? "");
}

const STRESS = /[ˈˌː]/u;
const SOUND = /\p{L}|[→↗↘↓]/u;
const SPOKEN = /[\p{L}\p{M}ːˈˌ→↗↘↓]/u;

/** Groups of phonemes between spaces; the marks around them belong to none. */
export function phonemeWordsOf(phonemes: string): Token[] {
  const tokens: Token[] = [];
  for (const { 0: group, index } of phonemes.matchAll(/\S+/gu)) {
    const sounds = [...group].filter((sign) => SOUND.test(sign) && !STRESS.test(sign)).length;
    const mark = endsInPause(group);
    if (sounds === 0) {
      if (tokens.length > 0) tokens.at(-1)!.mark ||= mark;
      continue;
    }
    const from = index + group.search(SPOKEN);
    tokens.push({ from, to: index + lastOf(group, SPOKEN) + 1, weight: sounds, mark });
  }
  return tokens;
}
