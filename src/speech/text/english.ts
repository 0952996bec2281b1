/** English with numbers, money, dates, times, units and abbreviations written out, by the rules of `english-rules.ts`. */
import { ENGLISH_RULES } from "./english-rules.ts";
import { splitLongWords } from "./split-long-words.ts";

const RUN_MAX = 256; // a longer run without a space is not a word, a number or an address

/** Anything that no rule matches is returned unchanged. */
export function readEnglish(text: string): string {
  return [...splitLongWords(text, RUN_MAX)].map(applyRules).join("");
}

function applyRules(text: string): string {
  return ENGLISH_RULES.reduce(
    (read, { pattern, read: reading }) =>
      read.replace(pattern, (...match) => reading(match as [string, ...string[]])),
    text,
  );
}
