/** Numbers with their nouns, as sentences have them. */

/** "1 account", "2 accounts". */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;
