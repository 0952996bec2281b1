/** Words and transcripts as Deepgram writes them. */
import type { Word } from "../../../engine/protocol/recognition.ts";
import { joined } from "../../../transcription/transcript.ts";

/** `isPunctuated`: as the engine wrote it; otherwise in lower case and without marks. */
export type TextStyle = { isPunctuated: boolean; paragraphs: boolean; tellsLanguage: boolean };

/** A word of a speaker, who has a number; null: speakers are not told apart. */
export type SpokenWord = Word & { speaker: number | null };

export const seconds = (value: number): number => Math.round(value * 1000) / 1000;

const LETTER = /[\p{L}\p{N}]/u;

/** Without the marks around it; a word that is nothing else stays. */
function plain(text: string): string {
  const characters = [...text];
  const isLetter = (character: string) => LETTER.test(character);
  const first = characters.findIndex(isLetter);
  if (first < 0) return text;
  return characters
    .slice(first, characters.findLastIndex(isLetter) + 1)
    .join("")
    .toLowerCase();
}

export function wordOf({ text, start, end, confidence, speaker }: SpokenWord, { isPunctuated }: TextStyle) {
  return {
    word: plain(text),
    ...{ start: seconds(start), end: seconds(end), confidence: thousandths(confidence) },
    ...(speaker === null ? {} : { speaker }),
    ...(isPunctuated ? { punctuated_word: text } : {}),
  };
}

export const textOf = (words: readonly Word[], { isPunctuated }: TextStyle): string =>
  joined(isPunctuated ? words : words.map((word) => ({ ...word, text: plain(word.text) })));

/** The mean of its words; 0 where there is none. */
export function confidenceOf(words: readonly Word[]): number {
  const sum = words.reduce((total, { confidence }) => total + confidence, 0);
  return words.length === 0 ? 0 : thousandths(Math.min(1, Math.max(0, sum / words.length)));
}

const thousandths = seconds;

export const alternativeOf = (words: readonly SpokenWord[], style: TextStyle) => ({
  transcript: textOf(words, style),
  confidence: confidenceOf(words),
  words: words.map((word) => wordOf(word, style)),
});

/** What an answer says of its model. The id of a model stands for the vendor's UUIDs. */
export const modelInfo = (model: string, version: string) => ({ name: model, version, arch: model });
