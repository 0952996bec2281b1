/**
 * Private characters as signs in a text on its way to an engine. Engines are told what the pronunciations stand for; values
 * are read before the text is planned. In a caller's text they mean nothing, and are removed.
 *
 *   U+E000 – U+E0FF  pronunciations, in order        U+E100 – U+E2FF  marked values, in order
 */

const FIRST_PRONUNCIATION = 0xe000;
const FIRST_VALUE = 0xe100;

/** How many pronunciations a text may have. */
export const SIGNS_MAX = FIRST_VALUE - FIRST_PRONUNCIATION;

/** Captured, so that splitting a text by it keeps the signs. */
export const PRONUNCIATION = /([\uE000-\uE0FF])/u;
export const EVERY_PRONUNCIATION = /[\uE000-\uE0FF]/gu;
export const EVERY_VALUE = /[\uE100-\uE2FF]/gu;
export const ANY_SIGN = /[\uE000-\uE2FF]/u;
export const EVERY_SIGN = /[\uE000-\uE2FF]/gu;

/** What is read aloud; signs between words are read too, and none of them alone. */
export const READ_ALOUD = /[\p{L}\p{N}\uE000-\uE0FF]/u;

/** What a text has that is neither seen nor read, but lines, joiners that Indic scripts need, and pronunciations. */
export const UNREADABLE = /[[\p{C}\uFFFD]--[\n\u200C\u200D\uE000-\uE0FF]]/gv;

/** The sign of a pronunciation by its number. */
export const signOf = (index: number): string => String.fromCharCode(FIRST_PRONUNCIATION + index);

/** The sign of a marked value by its number, below 512. */
export const valueSignOf = (index: number): string => String.fromCharCode(FIRST_VALUE + index);

/** The number of a marked value by its sign. */
export const valueIndexOf = (sign: string): number => sign.charCodeAt(0) - FIRST_VALUE;
