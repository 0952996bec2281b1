/**
 * The texts of the pages. English comes with the code of each page; the catalogue of another language is one file, fetched
 * before the first render:
 *
 *   en/sign-in.ts ── areaTexts("signIn", messages) ──> signInTexts("title") ──> the catalogue's text, else the English one
 *
 * Messages have ICU's format; the compiler knows their ids and the values that each needs.
 */
import { createTranslator } from "use-intl/core";
import { DIRECTION, LANGUAGE, LOCALE } from "./chosen.ts";

type Messages = Record<string, string>;
type Translator<Area extends Messages> = ReturnType<typeof createTranslator<Area>>;
/** Messages by area and id. */
export type Catalogue = Partial<Record<string, Messages>>;

let catalogue: Catalogue = {};

/** Before the first text is asked for. */
export function keepCatalogue(fetched: Catalogue): void {
  catalogue = fetched;
}

/** English among texts that run from right to left keeps its own direction. */
const isolated = (message: string): string => `\u2066${message}\u2069`;

const fallback = <Area extends Messages>(english: Area): Area =>
  DIRECTION === "ltr"
    ? english
    : (Object.fromEntries(Object.entries(english).map(([id, message]) => [id, isolated(message)])) as Area);

/** Of the texts of an area: English where the catalogue lacks it. */
export const languageOf = (area: string): string => (catalogue[area] ? LANGUAGE : "en");

/** Gives the texts of an area to the pages, which ask for them while they are rendered: the catalogue is there then. */
export function areaTexts<const Area extends Messages>(area: string, english: Area): () => Translator<Area> {
  let made: Translator<Area> | undefined;
  return () => {
    made ??= createTranslator<Area>({
      locale: LOCALE,
      messages: { ...fallback(english), ...catalogue[area] },
    });
    return made;
  };
}
