/** Promise: the parts of a sentence that is cut are pronounced as they are in the whole of it. */
import { afterAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { g2pTask } from "../../../src/speech/phonemes.ts";
import { planSpeech } from "../../../src/speech/plan.ts";
import { EnglishWords } from "../../../workers/g2p/english/words.ts";
import { sayEnglish } from "../../../workers/g2p/english.ts";
import { phonemesInContext } from "../../../workers/g2p/in-context.ts";
import { hasEspeak, openReader, unlessEspeak } from "./reader.ts";

const ENTRIES = {
  a: "ə",
  A: "ˈA",
  to: "tu",
  apple: "ˈæpᵊl",
  dog: "dˈɔɡ",
  need: "nˈid",
  we: "wi",
  record: { DEFAULT: "ɹˈɛkəɹd", VERB: "ɹəkˈɔɹd" },
  refund: { DEFAULT: "ɹˈifənd", VERB: "ɹəfˈʌnd" },
  by: { DEFAULT: "bI", None: "bˈI" },
};
const speaker = {
  words: new EnglishWords(ENTRIES, {}, false),
  isBritish: false,
  otherwise: (word: string) => `(${word})`,
};
const say = (text: string) => sayEnglish(text, speaker);

test.each([
  ["we need to", " record", "", "ɹəkˈɔɹd"],
  ["we need ", "to", " apple", "tʊ"],
  ["we need", " a", " refund", "ɐ"],
  ["", "dog by", " dog", "dˈɔɡ bI"],
])("%j [%s] %j", (before, text, after, phonemes) => {
  expect(phonemesInContext(text, { before, after }, say)).toBe(phonemes);
  expect(say(text.trim())).not.toBe(phonemes);
});

test("where the parts have other groups than the whole, a part is phonemes by itself", () => {
  const joining = (text: string) => text.replace(/out of/g, "outof");
  expect(phonemesInContext("came out", { before: "he ", after: " of it" }, joining)).toBe("came out");
});

test("the parts of any sentence are together the whole", () => {
  const words = fc.array(fc.constantFrom("a", "to", "dog,", "apple", "record", "by", "we", "need", "Dog"), {
    minLength: 2,
    maxLength: 12,
  });
  fc.assert(
    fc.property(words, fc.nat(11), fc.nat(11), (all, one, other) => {
      const [from, to] = [one % all.length, other % all.length].sort((a, b) => a - b) as [number, number];
      const parts = [all.slice(0, from), all.slice(from, to), all.slice(to)];
      const phonemes = parts.map((part, index) => {
        const before = parts.slice(0, index).flat().join(" ");
        const after = parts.slice(index + 1).flat();
        return phonemesInContext(
          part.join(" "),
          { before: before && `${before} `, after: ["", ...after].join(" ") },
          say,
        );
      });
      expect(phonemes.filter((part) => part !== "").join(" ")).toBe(say(all.join(" ")));
    }),
  );
});

describe.skipIf(!hasEspeak)(`a stream's parts, read by eSpeak NG${unlessEspeak}`, () => {
  const reader = openReader([]);
  afterAll(() => reader.close());
  const sentences: [language: string, sentence: string][] = [
    ["en-US", "Nobody had told the old baker by the harbour that the street would be closed until noon."],
    ["de", "Meine Großmutter backte jeden Morgen Brot während mein Großvater in der Küche Zeitung las."],
    ["fr", "Ma grand-mère faisait le pain tous les matins et mon grand-père lisait le journal."],
    ["es", "Mi abuela preparaba el pan todas las mañanas mientras mi abuelo leía el periódico."],
  ];
  test.each(sentences)("are together the whole sentence: %s", async (language, sentence) => {
    for (const alphabet of ["ipa", "kokoro"] as const) {
      const read = (segment: { text: string }) =>
        reader.read(g2pTask({ ...segment, language }, { alphabet, voice: null }));
      const parts = planSpeech(sentence, language, "streamed");
      expect(parts.length).toBe(2);
      const phonemes = await Promise.all(parts.map(read));
      expect(phonemes.join(" ")).toBe(await read({ text: sentence }));
    }
  });
});
