/** Promise: a language is known by its tag and by its English name, as Whisper writes it. */
import { expect, test } from "bun:test";
import { codeNamed, languageName, tagOf } from "../src/language-tag.ts";

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

test.each(["en-GB", "EN_us", "tlh", "englisch", ""])("%j is no name, and stays as it is", (text) => {
  expect(codeNamed(text)).toBeNull();
  expect(tagOf(text)).toBe(text);
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
