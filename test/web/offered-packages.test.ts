/** Promise: the packages that an operator is offered speak the languages of the browser, or those that were chosen. */
import { expect, test } from "bun:test";
import { browserLanguages, offeredFor, spokenLanguages } from "../../src/web/operator/packages/offered.ts";
import type { Package } from "../../src/web/operator/packages/package.ts";

const of = (name: string, languages: string[], more: object = {}) =>
  ({ name, languages, task: "synthesis", recommended: false, bytes: 1, license: {}, ...more }) as Package;

const ALL = [
  of("english", ["en-US"], { recommended: true }),
  of("german", ["de"], { recommended: true }),
  of("polish-large", ["pl"], { bytes: 9 }),
  of("polish", ["pl"], { bytes: 5 }),
  of("strict", ["pt"], { license: { acceptance: true } }),
  of("kokoro", [], { recommended: true }),
  of("whisper", ["de", "en"], { task: "recognition", recommended: true }),
];
const namesFor = (...languages: string[]) => offeredFor(ALL, languages).map(({ name }) => name);

test("voices of other languages are left out, recognizers and voices of many languages are not", () => {
  expect(namesFor("en")).toEqual(["english", "kokoro", "whisper"]);
  expect(namesFor("de", "en")).toEqual(["english", "german", "kokoro", "whisper"]);
});

test("a language without a recommended voice gets the smallest one that needs no acceptance", () => {
  expect(namesFor("pl")).toEqual(["kokoro", "whisper", "polish"]);
  expect(namesFor("pt")).toEqual(["kokoro", "whisper"]);
});

test("the browser's languages are those that a voice speaks, or English", () => {
  expect(browserLanguages(ALL, ["pl-PL", "pl", "xx"])).toEqual(["pl"]);
  expect(browserLanguages(ALL, ["xx"])).toEqual(["en"]);
  expect(spokenLanguages(ALL)).toEqual(["en", "de", "pl", "pt"]);
});
