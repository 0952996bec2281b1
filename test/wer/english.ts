/** English text as `EnglishTextNormalizer` of the Open ASR leaderboard (d1e99b2) compares it. */
import { endPattern, plainLetters, singleSpaces, withoutBrackets, wordPattern, wordsIn } from "./letters.ts";
import { inDigits } from "./numbers.ts";
import mappings from "./spellings.json";

const FILLERS = wordPattern(
  "(?:hmm|mm|mhm|mmm|uh|um|ah|aha|ahh|ahm|eh|ehehe|em|hm|huh|hum|mhum|uhm|umm|uhuh)",
);

const WORDS: Record<string, string> = {
  "won't": "will not",
  "can't": "can not",
  "let's": "let us",
  "ain't": "aint",
  "y'all": "you all",
  wanna: "want to",
  gotta: "got to",
  gonna: "going to",
  "i'ma": "i am going to",
  imma: "i am going to",
  woulda: "would have",
  coulda: "could have",
  shoulda: "should have",
  "ma'am": "madam",
};

const TITLES: Record<string, string> = {
  mr: "mister",
  mrs: "missus",
  st: "saint",
  dr: "doctor",
  prof: "professor",
  capt: "captain",
  gov: "governor",
  ald: "alderman",
  gen: "general",
  sen: "senator",
  rep: "representative",
  pres: "president",
  rev: "reverend",
  hon: "honorable",
  asst: "assistant",
  assoc: "associate",
  lt: "lieutenant",
  col: "colonel",
  jr: "junior",
  sr: "senior",
  esq: "esquire",
};

/** In this order: "'d been" before "'d". A genitive stays one, but where the word before it has none. */
const ENDS: [end: string, full: string][] = [
  ["'d been", " had been"],
  ["'s been", " has been"],
  ["'d gone", " had gone"],
  ["'s gone", " has gone"],
  ["'d done", " had done"],
  ["'s got", " has got"],
  ["n't", " not"],
  ["'re", " are"],
  ["(?<![\\p{L}\\p{N}_])(it|he|she|what|that|who|here|there|how|when|where|why|this)'s", "$1 is"],
  ["'d", " would"],
  ["'ll", " will"],
  ["'t", " not"],
  ["'ve", " have"],
  ["'m", " am"],
];

const COMPOUNDS: Record<string, string> = {
  "et cetera": "etc",
  "al right": "alright",
  "all right": "alright",
  "how ever": "however",
  "wi fi": "wifi",
  "hi fi": "hifi",
  "lo fi": "lofi",
  "sci fi": "scifi",
  "e mail": "email",
  "e book": "ebook",
  "e commerce": "ecommerce",
  "x ray": "xray",
  "t shirt": "tshirt",
  "a m": "am",
  "p m": "pm",
  "o k": "okay",
};

type Replacement = [pattern: RegExp, text: string];

const CONTRACTIONS: Replacement[] = [
  ...Object.entries(WORDS).map(([word, full]): Replacement => [wordPattern(word), full]),
  ...Object.entries(TITLES).map(([title, full]): Replacement => [wordPattern(title), `${full} `]),
  ...ENDS.map(([end, full]): Replacement => [endPattern(end), full]),
];

const JOINED = Object.entries(COMPOUNDS).map(
  ([words, compound]): Replacement => [wordPattern(words.replace(" ", "\\p{White_Space}+")), compound],
);

const replaced = (text: string, replacements: Replacement[]): string =>
  replacements.reduce((all, [pattern, by]) => all.replace(pattern, by), text);

const mapped = (words: string[], mapping: Record<string, string>): string[] =>
  words.map((word) => (Object.hasOwn(mapping, word) ? mapping[word]! : word));

const isLetter = (word: string): boolean => /^[\p{L}\p{N}]$/u.test(word);

/** "b b c" is "bbc"; two letters stay apart where one of them may be a word. */
function withAcronyms(words: string[]): string[] {
  const all: string[] = [];
  for (let at = 0; at < words.length; ) {
    const end = words.findIndex((word, next) => next >= at && !isLetter(word));
    const run = words.slice(at, end === -1 ? words.length : end);
    const least = run.some((letter) => letter === "a" || letter === "i") ? 3 : 2;
    if (run.length === 0) all.push(words[at]!);
    else if (run.length < least) all.push(...run);
    else all.push(run.join(""));
    at += Math.max(1, run.length);
  }
  return all;
}

export function englishText(text: string): string {
  const spoken = withoutBrackets(text.toLowerCase())
    .replace(FILLERS, "")
    .replace(/\p{White_Space}+'/gu, "'");
  const plain = replaced(spoken, CONTRACTIONS)
    .replace(/([0-9]),([0-9])/g, "$1$2")
    .replace(/\.([^0-9]|$)/gu, " $1");
  const digits = inDigits(replaced(plainLetters(plain, ".%$¢€£"), JOINED));
  const words = withAcronyms(mapped(mapped(wordsIn(digits), mappings.spellings), mappings.names));
  return singleSpaces(
    words
      .join(" ")
      .replace(/[.$¢€£]([^0-9])/gu, " $1")
      .replace(/([^0-9])%/gu, "$1 "),
  );
}
