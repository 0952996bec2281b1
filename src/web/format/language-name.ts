/** Language tags: their English names, and the languages that they are of. */
import { LOCALE } from "../language/chosen.ts";

const names = new Intl.DisplayNames(LOCALE, { type: "language" });

/** "German" for "de", "American English" for "en-US". */
export function languageName(tag: string): string {
  try {
    return names.of(tag) ?? tag;
  } catch {
    return tag; // a catalogue may hold what is no language tag
  }
}

/** "en" of "en-US". */
export const primaryOf = (tag: string): string => tag.split("-")[0]!;
