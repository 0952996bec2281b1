/** The words of what is typed into a search, in small letters. Pure. */
export const wordsIn = (search: string): string[] => search.toLowerCase().split(/\s+/).filter(Boolean);
