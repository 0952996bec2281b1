/** Promise: words of a dictionary are read as it says wherever they stand whole, in linear time, and keep their places. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import {
  type DictionaryEntry,
  openDictionary,
  spokenLength,
  withDictionary,
} from "../../../src/speech/script/dictionary.ts";
import { readScript } from "../../../src/speech/script/read-script.ts";
import { isText } from "../../../src/speech/script/script.ts";
import { fastestMs } from "../../fastest.ts";

const alias = (word: string, reading: string): DictionaryEntry => ({ word, alias: reading, phonemes: null });
const DICTIONARY = openDictionary([
  alias("nginx", "engine x"),
  alias("New York", "the city"),
  alias("New York City", "the big city"),
  alias("C++", "see plus plus"),
  alias("Dr.", "Drive"),
  alias("naïve", "ny eve"),
  { word: "gif", alias: null, phonemes: "dʒɪf" },
]);
const partsOf = (text: string) =>
  withDictionary(readScript(text), DICTIONARY)
    .parts.filter(isText)
    .map((part) => part.text.text);

test.each([
  ["Use NGINX, or nginx.", "Use engine x, or engine x."],
  ["nginx's nginxes un-nginx", "engine x's nginxes un-engine x"],
  ["in New York and New  York City", "in the city and the big city"],
  ["NewYork, New. York", "NewYork, New. York"],
  ["C++ and C+ and C ++", "see plus plus and C+ and C ++"],
  ["Elm Dr. and Dr X", "Elm Drive and Dr X"],
  ["nai\u0308ve", "ny eve"],
  ["a gif, a GIF", "a \uE000, a \uE000"],
  ["ngi\u00ADnx, n\u200Dginx, New \u200BYork", "engine x, engine x, the city"],
])("%s", (text, read) => {
  expect(partsOf(text)).toEqual([read]);
});

test.each([
  ["a gif, a GIF", "a dʒɪf, a dʒɪf"],
  ["nginx 🙂", "engine x 🙂"],
])("%s is as long as what is read", (text, read) => {
  expect(spokenLength(withDictionary(readScript(text), DICTIONARY))).toBe([...read].length);
});

test("SSML is read with it too, and its own pronunciations stay", () => {
  const script = withDictionary(
    readScript('<speak>nginx <phoneme ph="a">b</phoneme> gif</speak>'),
    DICTIONARY,
  );
  expect(script.parts.filter(isText).map(({ text }) => text.text)).toEqual(["engine x \uE000 \uE001"]);
  expect(script.pronounced).toEqual([
    { text: "b", ipa: "a" },
    { text: "gif", ipa: "dʒɪf" },
  ]);
});

test("what is read keeps the place of the word", () => {
  const [part] = withDictionary(readScript("use nginx now"), DICTIONARY).parts.filter(isText);
  const { text, origins } = part!.text;
  const at = text.indexOf("engine x");
  expect([origins.from[at], origins.to[at + 7]]).toEqual([4, 9]);
  expect([origins.from[text.indexOf("now")], origins.to[text.length - 1]]).toEqual([10, 13]);
});

test("without its words, any text stays as it is", () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 200 }), (text) => {
      const script = readScript(text.replace(/[a-z]/gi, "z"));
      expect(withDictionary(script, DICTIONARY).parts).toEqual(script.parts);
    }),
  );
});

test("8,000 characters of beginnings of words take milliseconds", () => {
  const hostile = openDictionary(
    Array.from({ length: 1000 }, (_, number) => alias(`a${" a".repeat(number % 11)} ${number}`, "b")),
  );
  const script = readScript("a ".repeat(4000));
  expect(fastestMs(() => withDictionary(script, hostile))).toBeLessThan(150);
});
