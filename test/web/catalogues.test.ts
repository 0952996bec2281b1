/** Promise: each language has every message of its areas, with the same values and tags as in English, and the browser's language decides. */
import { describe, expect, test } from "bun:test";
import { createTranslator } from "use-intl/core";
import { arabic } from "../../src/web/language/ar/arabic.ts";
import { german } from "../../src/web/language/de/german.ts";
import { spanish } from "../../src/web/language/es/spanish.ts";
import { french } from "../../src/web/language/fr/french.ts";
import { firstOf, LANGUAGES } from "../../src/web/language/languages.ts";
import { english } from "./english.ts";

type Messages = Record<string, string>;

/** How a message names what it holds: a number, or a text or tag. */
const NUMBERS = /\{(\w+), (?:plural|number)/g;
const TEXTS = /\{(\w+)[,}]/g;
const TAGS = /<(\w+)>/g;

const namesIn = (pattern: RegExp, messages: string[]): string[] =>
  messages.flatMap((message) => [...message.matchAll(pattern)].map(([, name]) => name!));

/** A message with stand-ins, and which of them it shows. Throws where its form is invalid. */
function standIns(locale: string, message: string, like: string[]): string[] {
  const numbers = namesIn(NUMBERS, like);
  const values = {
    ...Object.fromEntries(namesIn(TEXTS, like).map((name) => [name, `⟨${name}⟩`])),
    ...Object.fromEntries(numbers.map((name) => [name, 7])),
    ...Object.fromEntries(
      namesIn(TAGS, like).map((name) => [name, (content: string) => `⟨${name}:⟩${content}`]),
    ),
  };
  const onError = (error: Error) => {
    throw error;
  };
  const translate = createTranslator({ locale, messages: { message }, onError });
  const text = translate.markup("message", values);
  const shown = new Set(text.match(/⟨\w+:?⟩/g));
  const isCounted = numbers.length > 0 && text.includes("7");
  return [...shown, ...(isCounted ? ["a number"] : [])].toSorted();
}

describe.each([
  ["German", "de", german],
  ["Spanish", "es", spanish],
  ["French", "fr", french],
] as const)("the %s catalogue", (_name, locale, catalogue) => {
  test.each(Object.entries(english))("has each message of %s with its values", (area, messages) => {
    const translated: Messages = catalogue[area as keyof typeof catalogue];
    expect(Object.keys(translated)).toEqual(Object.keys(messages));
    for (const [id, message] of Object.entries<string>(messages)) {
      const like = [message, translated[id]!];
      const found = { id, shows: standIns(locale, translated[id]!, like) };
      expect(found).toEqual({ id, shows: standIns("en", message, like) });
    }
  });
});

test("the Arabic catalogue has whole areas, among them those before the dashboard", () => {
  expect(Object.keys(arabic)).toEqual(expect.arrayContaining(["controls", "setUp", "signIn"]));
  for (const [area, messages] of Object.entries(arabic)) {
    const originals: Messages = english[area as keyof typeof english];
    expect(Object.keys(messages)).toEqual(Object.keys(originals));
    for (const [id, message] of Object.entries<string>(messages))
      expect(() => standIns("ar", message, [originals[id]!, message])).not.toThrow();
  }
});

test("the first language of the browser that is complete is taken, else English", () => {
  expect(firstOf(["de-AT", "en"])).toBe("de");
  expect(firstOf(["ja", "fr-CA"])).toBe("fr");
  expect(firstOf(["ar-EG", "es"])).toBe("es");
  expect(firstOf(["ar", "constructor"])).toBe("en");
  expect(firstOf([])).toBe("en");
  expect(Object.keys(LANGUAGES)).toEqual(["en", "de", "es", "fr", "ar"]);
});
