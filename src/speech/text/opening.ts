/**
 * Where the first segment of a stream ends: at the first good place, because its listener waits for all of it.
 *
 *   The harbour lights came on one by one │ while the last boats turned for home.
 *   Since you ask, │ the last boat has just turned for home.
 *
 * The first end of a clause has a pause anyway. Elsewhere, it is the last phrase that begins early, or the first one after.
 */
import { primaryLanguage } from "../../language-tag.ts";

const CLAUSE_END = /[;:,]["')\]]*\s|[，、；：]/g;

/** In characters. `early`: what fits is short enough; `restLeast`: what is left of the sentence is worth a segment. */
type Range = { least: number; early: number; most: number; restLeast: number };
const RANGE: Range = { least: 20, early: 45, most: 70, restLeast: 15 };
/** Where a character is a syllable or more. */
const DENSE: Range = { least: 8, early: 18, most: 30, restLeast: 6 };

/** Longer than the words below. */
const WORD_MAX = 20;

/** Words that begin a phrase, by language. Those that bind it closely to the word before it, as "of" does, are left out. */
const BEGINNINGS: Record<string, string> = {
  en: "and or but because which that who when where while until unless if so with for from into to in on at by",
  es: "y e o u pero porque que cuando donde mientras si con sin para por desde hasta sobre en",
  fr: "et ou mais car parce que qui quand où pendant si avec sans pour par depuis dans sur en",
  de: "und oder aber denn dass weil wenn als wo während ob mit ohne für von aus zu in im auf an am bei nach",
  it: "e ed o ma perché che quando dove mentre se con senza per da in su sul sulla",
  pt: "e ou mas porque que quando onde enquanto se com sem para por desde até em no na",
  ru: "и или но а что чтобы потому когда где если пока как с со без для из в во на по к от",
  hi: "और या लेकिन पर कि जब जो जहाँ क्योंकि ताकि अगर",
};

/** Before the first of such words in a row: never between "so" and "that". */
const phraseStarts = new Map(
  Object.entries(BEGINNINGS).map(([language, list]) => {
    const word = `(?:${list.replaceAll(" ", "|")})`;
    return [language, new RegExp(`(?<!\\s${word})\\s(?=${word}\\s)`, "giu")];
  }),
);

const DENSE_LANGUAGES = new Set(["ja", "ko", "zh"]);

/** The length of the first segment; null where the sentence has no good place, or is short enough. */
export function openingOf(sentence: string, language: string): number | null {
  const primary = primaryLanguage(language);
  const { least, most, early, restLeast } = DENSE_LANGUAGES.has(primary) ? DENSE : RANGE;
  if (sentence.length <= early) return null;
  const window = sentence.slice(0, most + WORD_MAX);
  const places = (pattern: RegExp) =>
    [...window.matchAll(pattern)]
      .map((match) => match.index + match[0].length)
      .filter((place) => place >= least && place <= most && place + restLeast <= sentence.length);
  const [clause] = places(CLAUSE_END);
  if (clause !== undefined) return clause;
  const phraseStart = phraseStarts.get(primary);
  const phrases = phraseStart ? places(phraseStart) : [];
  return phrases.findLast((place) => place <= early) ?? phrases[0] ?? null;
}
