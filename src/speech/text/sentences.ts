/**
 * Sentences of a line, and where a sentence may be cut, so that each part can be said by itself.
 *
 *   The harbour lights came on one by one │ while the last boats turned for home.      a phrase begins
 *   Since you ask, │ the last boat has just turned for home.                            a clause ends
 *
 * Never behind a word that binds what follows, nor inside a number. What is too long for one run and has no such place is
 * cut at a space, and inside a word only where it alone is too long.
 */

import { primaryLanguage } from "../../language-tag.ts";
import { type FunctionWords, functionWordsOf } from "./function-words.ts";

type Splitter = (language: string, text: string) => string[];

let splitter: Splitter | null = null;

/** A capital with a stop is taken for an initial; before these words it ended a sentence. */
const AFTER_LETTER =
  /(?<=(?<![\p{L}\p{N}'])[A-Z]\.["')]?) (?=(?:The|This|That|It|He|She|They|We|You|I|There|Here|In|On|At|And|But|So|If|When|What|Who|How|Why|Then|Now|No|Yes|My|Our|His|Her)\b)/u;

/** A number with a stop is an ordinal before a small letter, or before a month of German. */
const ORDINAL = /(?<!\d)\d{1,4}\.\s*$/;
const BEHIND_ORDINAL =
  /^(?:\p{Ll}|(?:Januar|Jänner|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember)(?!\p{L}))/u;

/**
 * By `sentencex`, which knows abbreviations of many languages, or by the runtime's own rules without it.
 *
 * In order.
 */
export function splitSentences(line: string, language: string): string[] {
  if (line.trim() === "") return [];
  splitter ??= load();
  const sentences = splitter(language, line);
  if (language !== "en") return joinTrailing(sentences, isContinued);
  return joinTrailing(sentences, hasDots).flatMap((sentence) => sentence.split(AFTER_LETTER));
}

/** Dots in a row before a small letter do not end a sentence. */
const hasDots = (before: string, sentence: string) =>
  /\.\.\.\s*$/.test(before) && /^\s*["'(]?\p{Ll}/u.test(sentence);

const isContinued = (before: string, sentence: string) =>
  hasDots(before, sentence) || (ORDINAL.test(before) && BEHIND_ORDINAL.test(sentence));

function joinTrailing(sentences: string[], isOneWith: (before: string, sentence: string) => boolean) {
  const joined: string[] = [];
  for (const sentence of sentences) {
    if (isOneWith(joined.at(-1) ?? "", sentence)) joined.push(joined.pop() + sentence);
    else joined.push(sentence);
  }
  return joined;
}

/** Its native part is not published for every platform. */
function load(): Splitter {
  try {
    return require("sentencex").segment as Splitter;
  } catch {
    return (language, text) =>
      Array.from(
        new Intl.Segmenter(language, { granularity: "sentence" }).segment(text),
        ({ segment }) => segment,
      );
  }
}

/** `at`: where the part behind it begins, in code units. */
type Place = { at: number; kind: "clause" | "phrase" | "word" | "space" };

const CLAUSE_END = /[;:,]["')\]”»]*$/;
const DENSE_CLAUSE_END = /[，、；：]["')\]”»」』]*(?=\S)/gu;
const SPACES = /\s+/gu;
const OF_WORD = /[\p{L}\p{N}\p{M}]/u;

/** All places of a text, in order. Without spaces, only those at the ends of clauses. */
function placesOf(text: string, language: string): Place[] {
  const known = functionWordsOf(language);
  const spaces = [...text.matchAll(SPACES)];
  const places = spaces.flatMap(({ 0: space, index }, number): Place[] => {
    const at = index + space.length;
    if (index === 0 || at === text.length) return [];
    const start = number === 0 ? 0 : spaces[number - 1]!.index + spaces[number - 1]![0].length;
    const [next, following] = wordsFrom(text, spaces, number);
    return [{ at, kind: kindOf({ before: text.slice(start, index), next, following }, known) }];
  });
  for (const { 0: mark, index } of text.matchAll(DENSE_CLAUSE_END))
    places.push({ at: index + mark.length, kind: "clause" });
  return places.sort((a, b) => a.at - b.at);
}

/** The two words behind a space. */
function wordsFrom(text: string, spaces: readonly RegExpExecArray[], number: number): [string, string] {
  const word = (space: number) => {
    const from = spaces[space];
    return from ? text.slice(from.index + from[0].length, spaces[space + 1]?.index ?? text.length) : "";
  };
  return [plain(word(number)), plain(word(number + 1))];
}

/** In small letters, without the marks around it. */
function plain(word: string): string {
  let [from, to] = [0, word.length];
  while (from < to && !OF_WORD.test(word[from]!)) from++;
  while (to > from && !OF_WORD.test(word[to - 1]!)) to--;
  return word.slice(from, to).toLowerCase();
}

type Surroundings = { before: string; next: string; following: string };

function kindOf({ before, next, following }: Surroundings, known: FunctionWords): Place["kind"] {
  const previous = plain(before);
  const ends = CLAUSE_END.test(before);
  if (isNumeric(previous, known) && (isNumeric(next, known) || (!ends && isNumeric(following, known))))
    return "space";
  if (ends) return "clause";
  if (known.binds.has(previous)) return "space";
  if (known.clauses.has(next)) return "phrase";
  if (known.prepositions.has(next) && known.determiners.has(following)) return "phrase";
  return isNumeric(previous, known) ? "space" : "word";
}

/** "45", "forty-five". */
const isNumeric = (word: string, { numbers }: FunctionWords): boolean =>
  /^\p{N}/u.test(word) || numbers.has(word.split("-")[0]!);

const DENSE = new Set(["ja", "ko", "zh"]);

/** Whether a character of the language is a syllable or more. */
export const isDense = (language: string): boolean => DENSE.has(primaryLanguage(language));

/** In characters. `early`: what fits is short enough; `clause`: a clause that ends before it is short enough too. */
type Range = { least: number; early: number; clause: number; most: number; restLeast: number };
const RANGE: Range = { least: 20, early: 45, clause: 70, most: 120, restLeast: 15 };
const DENSE_RANGE: Range = { least: 8, early: 18, clause: 30, most: 60, restLeast: 6 };
const rangeOf = (language: string): Range => (isDense(language) ? DENSE_RANGE : RANGE);

/**
 * The length of the first segment of a stream, whose listener waits for all of it: to the first end of a clause, which has
 * a pause anyway, or else to the last phrase that begins early, or the first place after. Null where the sentence has no
 * such place, or is short enough.
 */
export function openingOf(sentence: string, language: string): number | null {
  const { most, early, clause } = rangeOf(language);
  if (sentence.length <= early) return null;
  const places = spokenPlaces(sentence, language).filter(({ at }) => at <= most);
  const found =
    places.find(({ at, kind }) => kind === "clause" && at <= clause) ??
    places.findLast(({ at }) => at <= early) ??
    places[0];
  return found?.at ?? null;
}

const CLAUSE_LEAST = 0.6; // of what fits: rather a shorter part that ends with a clause

/** The last place up to which the text `fits`, which is true of the start of a text that fits; null where there is none. */
export function lastPlace(
  sentence: string,
  language: string,
  fits: (head: string) => boolean,
): number | null {
  const places = spokenPlaces(sentence, language);
  const end = places.findIndex(({ at }) => !fits(sentence.slice(0, at)));
  const fitting = end === -1 ? places : places.slice(0, end);
  const last = fitting.at(-1)?.at ?? null;
  const clause = fitting.findLast(({ kind }) => kind === "clause")?.at ?? 0;
  return last !== null && clause >= last * CLAUSE_LEAST ? clause : last;
}

/** Where a clause ends or a phrase begins, with something to be said on both sides. */
function spokenPlaces(sentence: string, language: string): Place[] {
  const { least, restLeast } = rangeOf(language);
  return placesOf(sentence, language).filter(
    ({ at, kind }) =>
      (kind === "clause" || kind === "phrase") && at >= least && at + restLeast <= sentence.length,
  );
}

const LEAST = 0.35; // a piece shorter than this part of the limit is not worth a pause
const KINDS: Place["kind"][] = ["clause", "phrase", "word", "space"];

/** Where a sentence is cut into pieces of at most `limit` code points; none where it fits. */
export function cutsOf(sentence: string, language: string, limit: number): number[] {
  if (fits(sentence, limit)) return [];
  const places = placesOf(sentence, language);
  const cuts: number[] = [];
  let from = 0;
  while (!fits(sentence.slice(from), limit)) {
    const reach = from + [...sentence.slice(from, from + 2 * limit)].slice(0, limit).join("").length;
    from = placeWithin(places, { from, reach }) ?? graphemeBefore(sentence, from, reach);
    cuts.push(from);
  }
  return cuts;
}

/** Code units bound code points, so most answers need no counting. */
function fits(text: string, limit: number): boolean {
  if (text.length <= limit) return true;
  return text.length <= 2 * limit && [...text].length <= limit;
}

/** The last of the best kind that is far enough from the start. A space may stand behind the limit. */
function placeWithin(
  places: readonly Place[],
  { from, reach }: { from: number; reach: number },
): number | null {
  const within = places.filter(({ at }) => at > from && at <= reach + 1);
  const least = from + (reach - from) * LEAST;
  for (const best of KINDS) {
    const found = within.findLast(({ at, kind }) => kind === best && at >= least);
    if (found) return found.at;
  }
  return within.at(-1)?.at ?? null;
}

/** Never inside what a reader sees as one character, and before the digits of a number that is not too long itself. */
function graphemeBefore(text: string, from: number, reach: number): number {
  const window = text.slice(from, reach + 32);
  const most = reach - from;
  let cut = 0;
  for (const { index } of new Intl.Segmenter(undefined, { granularity: "grapheme" }).segment(window)) {
    if (index > most) break;
    cut = index;
  }
  if (cut === 0) return reach;
  const number = numberBefore(window, cut);
  const isInside = number < cut && number > 0 && /^[.,]?\d/.test(window.slice(cut));
  return from + (isInside ? number : cut);
}

/** Where the digits begin that end at a place, with their points and commas; the place itself where there are none. */
function numberBefore(text: string, place: number): number {
  const isDigit = (at: number) => /\d/.test(text[at] ?? "");
  if (!isDigit(place - 1)) return place;
  let start = place;
  while (start > 0 && /[\d.,]/.test(text[start - 1]!)) start--;
  while (!isDigit(start)) start++;
  return start;
}
