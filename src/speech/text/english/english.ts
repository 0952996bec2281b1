/**
 * Written English as it is read aloud: rules in order, each over what the rules before it have left.
 *
 *   codes and addresses   have their own digits and marks, and go first
 *   dates, times, phones  are numbers with a shape
 *   money, units, counts  are numbers with a name
 *   names                 end in stops and numerals
 *   numbers               read all digits that are left
 *   symbols               read all marks that are left
 *
 * Within a group the more specific rule comes first.
 */

import { COUNTS, NUMBERS } from "../amounts/counts.ts";
import { FRACTIONS } from "../amounts/fractions.ts";
import { MONEY } from "../amounts/money.ts";
import { UNIT_RULES } from "../amounts/units.ts";
import { applyRules, type Changed, type Rule } from "../lexicon/rule.ts";
import { ABBREVIATIONS } from "./abbreviations.ts";
import { CODES, CODES_IN_NAMES, MODEL_NUMBERS, NUMBERED_NAMES } from "./codes.ts";
import { accentOf, DATES } from "./dates.ts";
import { ROMAN, SHOUTED } from "./names.ts";
import { ONLINE } from "./online.ts";
import { PHONE } from "./phone.ts";
import { POWERS, SIGNS_BEFORE_NUMBERS, SYMBOLS } from "./symbols.ts";
import { TIMES } from "./times.ts";

/** @internal */
export const ENGLISH_RULES: readonly Rule[] = [
  ...SHOUTED,
  ...CODES_IN_NAMES,
  ...ONLINE,
  ...PHONE,
  ...DATES,
  ...CODES,
  ...TIMES,
  ...ABBREVIATIONS,
  ...ROMAN,
  ...SIGNS_BEFORE_NUMBERS,
  ...MONEY,
  ...UNIT_RULES,
  ...POWERS,
  ...FRACTIONS,
  ...NUMBERED_NAMES,
  ...COUNTS,
  ...MODEL_NUMBERS,
  ...NUMBERS,
  ...SYMBOLS,
];

/** A text of any number of lines, read for a voice of the locale. */
export function readEnglish(text: string, locale: string, changed?: Changed): string {
  return applyRules(ENGLISH_RULES, text, { ...accentOf(locale), changed });
}
