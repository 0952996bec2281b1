/** The languages of the dashboard, under their own names. How to add one: CONTRIBUTING.md. */

type Direction = "ltr" | "rtl";
export type LanguageName = {
  /** As its speakers write it. */
  name: string;
  /** Of numbers, dates and money. */
  locale: string;
  direction: Direction;
  /** Areas are missing, whose texts are English: only those who choose it see it. */
  isPartial?: true;
};

/** By the tag of the document. */
export const LANGUAGES = {
  en: { name: "English", locale: "en-US", direction: "ltr" },
  de: { name: "Deutsch", locale: "de", direction: "ltr" },
  es: { name: "Español", locale: "es", direction: "ltr" },
  fr: { name: "Français", locale: "fr", direction: "ltr" },
  ar: { name: "العربية", locale: "ar-u-nu-latn", direction: "rtl", isPartial: true },
} as const satisfies Record<string, LanguageName>;

export type Language = keyof typeof LANGUAGES;

export const isLanguage = (tag: string): tag is Language => Object.hasOwn(LANGUAGES, tag);

/** The first of the wanted languages that is complete: "de" for "de-AT". */
export function firstOf(wanted: readonly string[]): Language {
  const offered = (tag: string) => isLanguage(tag) && !("isPartial" in LANGUAGES[tag]);
  return (
    (wanted.map((tag) => tag.split("-")[0]!.toLowerCase()).find(offered) as Language | undefined) ?? "en"
  );
}
