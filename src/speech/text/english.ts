/** Written English as it is read aloud in the English of a country. */
import { ENGLISH_RULES } from "./english/order.ts";
import { applyRules, type Changed } from "./lexicon/rule.ts";

/** Countries whose dates begin with the month. */
const MONTH_FIRST = new Set(["en", "en-us", "en-ca", "en-ph"]);

/** A text of any number of lines, read for a voice of the locale. */
export function readEnglish(text: string, locale: string, changed?: Changed): string {
  return applyRules(ENGLISH_RULES, text, {
    isMonthFirst: MONTH_FIRST.has(locale.toLowerCase().replace("_", "-")),
    changed,
  });
}
