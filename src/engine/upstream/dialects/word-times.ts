/** Times of words: those of a server placed on the words of its text, or estimated. */
import type { Word } from "../../protocol/recognition.ts";

/** `confidence` may be no number: the server reports none. */
export type TimedWord = { text: string; start: number; end: number; confidence: number };

type Span = { start: number; end: number };
type Token = { text: string; glued: boolean };

/** Before each character that is a word of its own, and between one and a letter. */
const CUT =
  /(?=[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}])|(?<=[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}])(?=[\p{L}\p{N}])/u;

/** The words of a text, with their punctuation. */
const tokensOf = (text: string): Token[] =>
  text
    .split(/\s+/)
    .filter((part) => part !== "")
    .flatMap((part) => part.split(CUT).map((piece, index) => ({ text: piece, glued: index > 0 })));

/** Spread over spans by the number of their characters. */
export function spreadWords(text: string, spans: readonly Span[], confidence: number): Word[] {
  const tokens = tokensOf(text);
  const total = tokens.reduce((sum, token) => sum + token.text.length, 0);
  const seconds = spans.reduce((sum, { start, end }) => sum + Math.max(0, end - start), 0);
  let passed = 0;
  return tokens.map((token) => {
    const start = placeIn(spans, (passed / total) * seconds);
    passed += token.text.length;
    const end = placeIn(spans, (passed / total) * seconds);
    return wordOf(token, { start, end, confidence });
  });
}

/** The time after so many seconds of speech. */
function placeIn(spans: readonly Span[], seconds: number): number {
  let left = seconds;
  for (const { start, end } of spans) {
    const length = Math.max(0, end - start);
    if (left <= length) return start + left;
    left -= length;
  }
  return spans.at(-1)?.end ?? 0;
}

const wordOf = ({ text, glued }: Token, times: Span & { confidence: number }): Word => ({
  text,
  ...times,
  ...(glued ? { glued } : {}),
});

const lettersOf = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");

/** Null where the words are not those of the text, or there are none. A word may be several tokens, and one token several words. */
export function alignWords(text: string, timed: readonly TimedWord[], fallback: number): Word[] | null {
  const spoken = timed.filter((word) => lettersOf(word.text) !== "");
  const tokens = tokensOf(text);
  if (spoken.length === 0) return null;
  const words: Word[] = [];
  let at = 0;
  let inWord = 0; // letters of the current timed word that tokens have used
  for (const token of tokens) {
    let letters = lettersOf(token.text);
    const first = spoken[Math.min(at, spoken.length - 1)]!;
    let last = letters === "" ? (words.at(-1) ?? first) : first;
    const start = letters === "" ? last.end : first.start;
    while (letters !== "") {
      const word = spoken[at];
      if (!word) return null;
      const rest = lettersOf(word.text).slice(inWord);
      const common = Math.min(rest.length, letters.length);
      if (rest.slice(0, common) !== letters.slice(0, common)) return null;
      letters = letters.slice(common);
      last = word;
      inWord += common;
      if (common === rest.length) {
        at++;
        inWord = 0;
      }
    }
    const known = last.confidence;
    const confidence = Number.isFinite(known) ? Math.min(1, Math.max(0, known)) : fallback;
    words.push(wordOf(token, { start, end: last.end, confidence }));
  }
  return words;
}
