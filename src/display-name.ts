/** The names that people give to what they make: one line without control characters, nor marks that reverse the text around them. */

export const DISPLAY_NAME = {
  minLength: 1,
  maxLength: 100,
  pattern: "^(?=.*\\S)[^\\u0000-\\u001F\\u007F-\\u009F\\u2028-\\u202E\\u2066-\\u2069]+$",
} as const;

const PLAIN_MAX = 60;

/** A name in a mail: text that no mail program turns into a link. */
export const plainName = (name: string): string =>
  name
    .slice(0, PLAIN_MAX)
    .replace(/[^\p{L}\p{M}\p{N}&'()-]+/gu, " ")
    .trim();
