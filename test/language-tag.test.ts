/** Promise: a language is known by its tag and by its English name, as Whisper writes it. */
import { expect, test } from "bun:test";
import { codeNamed, languageHint, languageName } from "../src/language-tag.ts";

test.each([
  ["english", "en"],
  ["Mandarin", "zh"],
  ["cantonese", "yue"],
  ["Haitian Creole", "ht"],
  [" bengali ", "bn"],
  ["maori", "mi"],
  ["flemish", "nl"],
])("%s is the language %s", (name, code) => {
  expect(codeNamed(name)).toBe(code);
});

test.each(["en-GB", "EN_us", "tlh", "englisch", ""])("%j is no name", (text) => {
  expect(codeNamed(text)).toBeNull();
});

test.each([
  ["EN", "en"],
  ["English", "en"],
  ["Language.EN", "en"],
  ["eng", "en"],
  ["ger", "de"],
  ["deu", "de"],
  ["zho", "zh"],
  ["yue", "yue"],
  ["jw", "jw"],
  ["pt_br", "pt-BR"],
  ["zh-Hant-tw", "zh-Hant-TW"],
  ["tlh", "tlh"],
  ["englisch", "englisch"],
  ["../../etc/passwd", "../../etc/passwd"],
])("%j is read as %s", (text, tag) => expect(languageHint(text)).toBe(tag));

test.each([null, undefined, "", " ", "auto", "AUTO", "undefined", "null", "Language.AUTO"])(
  "%j leaves the language open",
  (text) => expect(languageHint(text)).toBeNull(),
);

test("every language of a recognizer is known by its code, its tag and its English name", () => {
  for (const code of ["en", "de", "es", "fr", "ja", "zh", "ar", "pt", "he", "jw", "yue", "haw"])
    for (const spelling of [code, code.toUpperCase(), `${code}_XX`, languageName(code)])
      expect(languageHint(spelling)?.split("-")[0]).toBe(code);
});

test.each([
  ["en", "english"],
  ["no", "norwegian"],
  ["cy", "welsh"],
  ["mi", "maori"],
  ["yue", "cantonese"],
  ["xx", "xx"],
  ["en-US", "en-US"],
])("the language %s is named %s", (code, name) => expect(languageName(code)).toBe(name));
