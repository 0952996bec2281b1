/**
 * English text to Kokoro's phonemes: from the last word to the first, because what follows decides how "the", "to" and
 * words at the end of a clause are said.
 *
 *   text -> marks and runs of words -> words, compounds in parts -> dictionaries and rules, or else eSpeak NG
 */

import { joinCompound, splitCompound } from "./english/compounds.ts";
import { type Part, partOf } from "./english/parts.ts";
import { americanFlaps, beginsWith, type Following } from "./english/sounds.ts";
import type { EnglishWords } from "./english/words.ts";
import { joinRuns, type Run, splitMarks } from "./marks.ts";

/** `words` is null without the dictionaries; `otherwise` pronounces one word that they lack. */
export type Speaker = {
  words: EnglishWords | null;
  isBritish: boolean;
  otherwise: (word: string) => string;
};

const PAUSE = /[;:,.!?—…]/;

export function sayEnglish(text: string, speaker: Speaker): string {
  const runs = splitMarks(text);
  const isShouted = speaker.words !== null && shouts(runs, speaker.words);
  let following: Following = null;
  const phonemes = new Map<Run, string>();
  for (const run of runs.toReversed()) {
    if (run.kind === "mark") {
      if (PAUSE.test(run.text)) following = null;
      continue;
    }
    const clause = sayClause(wordsOf(run.text), { speaker, following, isShouted });
    following = beginsWith(clause) ?? following;
    phonemes.set(run, speaker.isBritish ? clause : americanFlaps(clause));
  }
  return joinRuns(runs.map(withCurlyQuotes), (run) => phonemes.get(run)!);
}

/** The voices were trained on quotes that open and close. */
function withCurlyQuotes(run: Run, index: number, runs: Run[]): Run {
  if (run.kind === "words" || !run.text.includes('"')) return run;
  const opens = (index === 0 || run.space) && runs[index + 1]?.space === false;
  return { ...run, text: run.text.replaceAll('"', opens ? "“" : "”") };
}

const wordsOf = (text: string) =>
  text
    .replace(/[‘’]/g, "'")
    .replace(/\bWW(I{1,2})\b/g, (_, times: string) => `WW ${times === "I" ? "one" : "two"}`)
    .split(/[\s–/]+/)
    .filter((word) => /[\p{L}\p{N}%&+@]/u.test(word));

/** "A" that begins initials, and is no article. */
const LETTERS = /^A (?:\p{Lu} )?(?:and|&) \p{Lu}(?:'s)?(?: |$)/u;

type Setting = { speaker: Speaker; following: Following; isShouted: boolean };

function sayClause(words: string[], { speaker, following: last, isShouted }: Setting): string {
  return sayEach(words, last, (word, { index, following }) => {
    const previous = words[index - 1] ?? null;
    const isLetter = LETTERS.test(words.slice(index, index + 4).join(" "));
    const part = partIn(words, index, speaker);
    return sayWord(word, speaker, { following, part, previous, isLetter, isShouted });
  })
    .filter((phonemes) => phonemes !== "")
    .join(" ");
}

type Place = { index: number; following: Following };

/** From the last to the first, each told what follows it. */
function sayEach(words: string[], last: Following, say: (word: string, place: Place) => string): string[] {
  const phonemes: string[] = [];
  let following = last;
  for (const [index, word] of [...words.entries()].reverse()) {
    phonemes[index] = say(word, { index, following });
    following = beginsWith(phonemes[index]) ?? following;
  }
  return phonemes;
}

function partIn(words: string[], index: number, { words: dictionary }: Speaker): Part | null {
  const lower = (word: string) => word.toLowerCase();
  const word = lower(words[index]!);
  const parts = dictionary?.partsOf(word);
  if (!parts?.size) return null;
  const [before, after] = [words.slice(0, index).map(lower), words.slice(index + 1).map(lower)];
  return partOf({ word, before, after, isName: /^\p{Lu}\p{Ll}/u.test(words[index - 1] ?? "") }, parts);
}

type WordContext = Parameters<EnglishWords["say"]>[1];

/** A compound is said in parts where it is no word by itself. */
function sayWord(word: string, speaker: Speaker, context: WordContext): string {
  const whole = speaker.words?.say(word, context) ?? null;
  if (whole !== null) return whole;
  const parts = splitCompound(word);
  if (parts.length === 1) return speaker.otherwise(word);
  const phonemes = sayEach(parts, context.following, (part, { index, following }) => {
    const isLetters =
      /^\p{L}$/u.test(part) || (index > 0 && /^am$/i.test(part) && /\d$/.test(parts[index - 1]!));
    if (isLetters && speaker.words) return speaker.words.spell(part);
    const partContext = { ...context, part: partIn(parts, index, speaker), following };
    return speaker.words?.say(part, partContext) ?? speaker.otherwise(part);
  });
  return joinCompound(parts, phonemes);
}

/** Whether a text is in capitals throughout, and not just a few initials. */
function shouts(runs: Run[], words: EnglishWords): boolean {
  const all = runs.flatMap((run) => (run.kind === "words" ? wordsOf(run.text) : []));
  const spoken = all.filter((word) => /\p{L}{2}/u.test(word));
  if (spoken.length < 2 || spoken.some((word) => word !== word.toUpperCase())) return false;
  return spoken.some((word) => word.length > 3 && words.isWord(word));
}
