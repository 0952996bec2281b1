/** Written English as it is read aloud in the English of a country. */

import { applyRules, type Changed } from "../lexicon/rule.ts";
import { accentOf } from "./dates.ts";
import { ENGLISH_RULES } from "./order.ts";

/** A text of any number of lines, read for a voice of the locale. */
export function readEnglish(text: string, locale: string, changed?: Changed): string {
  return applyRules(ENGLISH_RULES, text, { ...accentOf(locale), changed });
}
