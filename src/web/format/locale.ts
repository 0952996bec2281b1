/** The one locale of words, numbers, dates and money on all pages, which are in English. */

export const LOCALE = "en-US";
