/** The language of this page: the one chosen in this browser, else the browser's own. It stays until the page is loaded again. */
import { firstOf, isLanguage, LANGUAGES, type Language, type LanguageName } from "./languages.ts";

const STORAGE_KEY = "loquat-language";

/** Storage may be blocked, and scripts outside browsers have none. */
function stored(): Language | null {
  try {
    const tag = localStorage.getItem(STORAGE_KEY) ?? "";
    return isLanguage(tag) ? tag : null;
  } catch {
    return null;
  }
}

/** Of the browser; scripts outside browsers have none. */
const wanted = (): readonly string[] => globalThis.navigator?.languages ?? [];

export const LANGUAGE: Language = stored() ?? firstOf(wanted());

const about: LanguageName = LANGUAGES[LANGUAGE];

/** The one locale of numbers, dates and money on all pages. */
export const LOCALE = about.locale;
export const DIRECTION = about.direction;

/** For the next page that is loaded; where storage is blocked, the language stays. */
export function keepLanguage(language: Language): void {
  try {
    localStorage.setItem(STORAGE_KEY, language);
  } catch {}
}
