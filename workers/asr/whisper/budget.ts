/**
 * The work on a span, in proportion to its seconds, whatever is heard in it. What is decoded again and windows behind the
 * first draw on it; the first text of a window is always finished.
 *
 * Its unit is one token of a text. In tiny.en, of whose time decoding has the largest share, that is 5 to 9 ms of a
 * processor; speech has 3 to 5 tokens a second.
 */
const ANY = 350; // the first window of a span however short, with the longest text
const PER_SECOND = 25;

/** What encoding a window takes. */
export const ENCODING = 70;
const OPENING = 8; // keys and values of the sound
const PROMPT_TOKENS = 6; // which are read at once, for one that is written

export type Budget = { left: number };

export const budgetOf = (seconds: number): Budget => ({ left: ANY + PER_SECOND * seconds });

/** What a text of so many tokens takes behind its prompt. */
export const textWork = (prompt: number, tokens: number): number => OPENING + prompt / PROMPT_TOKENS + tokens;
