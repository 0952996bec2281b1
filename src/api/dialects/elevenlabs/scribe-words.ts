/** Words as ElevenLabs writes them: with the spaces between them as entries of their own. */
import type { Word } from "../../../engine/protocol/recognition.ts";
import type { Granularity } from "./scribe-form.ts";

/** `speaker`: null where speakers are not told apart. */
export type HeardWord = Word & { speaker: string | null };

const LEAST_PROBABILITY = 1e-4; // a logarithm of nothing is no number in JSON

const seconds = (value: number): number => Math.round(value * 1000) / 1000;

const logprobOf = ({ confidence }: Word): number =>
  seconds(Math.log(Math.min(1, Math.max(confidence, LEAST_PROBABILITY))));

export function wordEntries(words: readonly HeardWord[], granularity: Granularity) {
  return words.flatMap((word, index) => {
    const before = words[index - 1];
    const spacing = before && !word.glued ? [spacingOf(before, word, granularity)] : [];
    return [...spacing, entryOf(word, granularity)];
  });
}

const timesOf = (start: number, end: number, granularity: Granularity) =>
  granularity === "none" ? {} : { start: seconds(start), end: seconds(end) };

const entryOf = (word: HeardWord, granularity: Granularity) => ({
  text: word.text,
  ...timesOf(word.start, word.end, granularity),
  type: "word",
  speaker_id: word.speaker,
  logprob: logprobOf(word),
  ...(granularity === "character" ? { characters: charactersOf(word) } : {}),
});

const spacingOf = (before: HeardWord, word: HeardWord, granularity: Granularity) => ({
  text: " ",
  ...timesOf(before.end, Math.max(before.end, word.start), granularity),
  type: "spacing",
  speaker_id: before.speaker,
  logprob: 0,
  ...(granularity === "character"
    ? { characters: [{ text: " ", ...timesOf(before.end, Math.max(before.end, word.start), granularity) }] }
    : {}),
});

/** Engines tell when words are spoken; each character has an equal part of its word. */
function charactersOf({ text, start, end }: Word) {
  const characters = [...text];
  const each = (end - start) / characters.length;
  return characters.map((character, index) => ({
    text: character,
    ...timesOf(start + index * each, start + (index + 1) * each, "character"),
  }));
}
