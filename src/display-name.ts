/** The names that people give to what they make: one line without control characters, nor marks that reverse the text around them. */

export const DISPLAY_NAME = {
  minLength: 1,
  maxLength: 100,
  pattern: "^(?=.*\\S)[^\\u0000-\\u001F\\u007F-\\u009F\\u2028-\\u202E\\u2066-\\u2069]+$",
} as const;
