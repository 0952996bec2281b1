/** Fetches the catalogue of the page's language and marks the document with it, before the first render. */
import { DIRECTION, LANGUAGE } from "./language/chosen.ts";
import type { Language } from "./language/languages.ts";
import { type Catalogue, keepCatalogue } from "./language/texts.ts";

type Fetch = () => Promise<Catalogue>;

/** English needs none: its messages are in the code of the pages. */
const CATALOGUES: Record<Exclude<Language, "en">, Fetch> = {
  de: async () => (await import("./language/de/german.ts")).german,
  es: async () => (await import("./language/es/spanish.ts")).spanish,
  fr: async () => (await import("./language/fr/french.ts")).french,
  ar: async () => (await import("./language/ar/arabic.ts")).arabic,
};

/** A catalogue that cannot be fetched leaves the texts in English. */
export async function startLanguage(): Promise<void> {
  const root = document.documentElement;
  root.dir = DIRECTION;
  if (LANGUAGE === "en") return;
  try {
    keepCatalogue(await CATALOGUES[LANGUAGE]());
    root.lang = LANGUAGE;
  } catch {
    root.dir = "ltr";
  }
}
