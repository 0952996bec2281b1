/** BCP 47 language tags. */

/** The primary subtag in lower case: "en" of "en-GB" and of "EN_us". */
export const primaryLanguage = (tag: string): string => tag.toLowerCase().split(/[-_]/)[0]!;
