/** Promise: English is pronounced as the voices were trained to hear it: by dictionaries, by rules, by eSpeak NG. */
import { afterAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { EnglishWords } from "../../../workers/g2p/english/words.ts";
import { sayEnglish } from "../../../workers/g2p/english.ts";
import { kokoroIds } from "../../../workers/tts/kokoro/phonemes.ts";
import { hasEspeak, hasMisaki, MISAKI, openReader, unlessEspeak, unlessMisaki } from "./reader.ts";

const learned = openReader([MISAKI]);
afterAll(() => learned.close());

const ENTRIES = {
  apple: "ˈæpᵊl",
  cat: "kˈæt",
  dog: "dˈɔɡ",
  watch: "wˈɑʧ",
  make: "mˈAk",
  need: "nˈid",
  city: "sˈɪɾi",
  button: "bˈʌʔn",
  wait: "wˈAt",
  well: "wˈɛl",
  known: "nˈOn",
  not: "nˌɑt",
  give: "ɡˈɪv",
  clear: "klˈɪɹ",
  constructor: "kənstɹˈʌktəɹ",
  run: "ɹˈʌn",
  to: "tu",
  am: "æm",
  and: "ænd",
  record: { DEFAULT: "ɹˈɛkəɹd", VERB: "ɹəkˈɔɹd" },
  by: { DEFAULT: "bI", None: "bˈI" },
  us: "ˌʌs",
  US: { DEFAULT: "ˌʌs", NOUN: null },
  IS: { DEFAULT: "ɪz", NOUN: null },
  A: "ˈA",
  B: "bˈi",
  C: "sˈi",
  L: "ˈɛl",
  M: "ˈɛm",
  S: "ˈɛs",
  U: "jˈu",
};
const words = new EnglishWords(ENTRIES, { rarely: "ɹˈɛɹli" }, false);
const british = new EnglishWords({ ...ENTRIES, clear: "klˈɪə", monitor: "mˈɒnɪtə", saw: "sˈɔː" }, {}, true);

test.each([
  ["apple", "ˈæpᵊl"],
  ["Apple", "ˈæpᵊl"],
  ["rarely", "ɹˈɛɹli"],
  ["cats", "kˈæts"],
  ["cats'", "kˈæts"],
  ["dogs", "dˈɔɡz"],
  ["watches", "wˈɑʧᵻz"],
  ["dog's", "dˈɔɡz"],
  ["dogs's", "dˈɔɡzᵻz"],
  ["making", "mˈAkɪŋ"],
  ["running", "ɹˈʌnɪŋ"],
  ["watched", "wˈɑʧt"],
  ["needed", "nˈidᵻd"],
  ["waited", "wˈAɾᵻd"],
  ["waiting", "wˈAɾɪŋ"],
  ["recorded", "ɹəkˈɔɹdᵻd"],
  ["ABC", "ˌAbˌisˈi"],
  ["BLM", "bˌiˌɛlˈɛm"],
  ["BLMs", "bˌiˌɛlˈɛmz"],
  ["CLUBSMAC", null],
  ["US", "jˌuˈɛs"],
  ["US's", "jˌuˈɛsᵻz"],
  ["IS", "ɪz"],
  ["NOT", "nˈɑt"],
  ["CATS", "kˈæts"],
  ["U.S.", "jˌuˈɛs"],
  ["zorblax", null],
  ["constructor", "kənstɹˈʌktəɹ"],
  ["toString", null],
  ["__proto__", null],
])("the word %s is pronounced as in the reference", (word, phonemes) => {
  expect(words.say(word, { following: "consonant" })).toBe(phonemes);
});

test("what follows decides how the small words are said", () => {
  const say = (word: string, following: "vowel" | "consonant" | null) => words.say(word, { following });
  expect([say("the", "vowel"), say("the", "consonant")]).toEqual(["ði", "ðə"]);
  expect([say("to", "vowel"), say("to", "consonant"), say("to", null)]).toEqual(["tʊ", "tə", "tu"]);
  expect([say("by", "consonant"), say("by", null)]).toEqual(["bI", "bˈI"]);
  expect([say("am", "consonant"), say("am", null)]).toEqual(["ɐm", "æm"]);
});

test("a British r is heard before -ing where it is written", () => {
  const say = (word: string) => british.say(word, { following: null });
  expect(["clearing", "monitoring", "sawing"].map(say)).toEqual(["klˈɪəɹɪŋ", "mˈɒnɪtəɹɪŋ", "sˈɔːɪŋ"]);
});

test("an American flap is T and a glottal stop is t in every word; the British have neither", () => {
  const speaker = { words, isBritish: false, otherwise: () => "ɾʔ" };
  expect(sayEnglish("city button waited zorblax", speaker)).toBe("sˈɪTi bˈʌtn wˈATᵻd Tt");
  expect(sayEnglish("city", { ...speaker, isBritish: true })).toBe("sˈɪɾi");
});

const unknown = { words, isBritish: false, otherwise: (word: string) => `<${word}>` };
test.each([
  ["give the US dog", "ɡˈɪv ðə jˌuˈɛs dˈɔɡ"],
  ["GIVE US DOGS", "ɡˈɪv ˌʌs dˈɔɡz"],
  ["US and US", "jˌuˈɛs ænd jˌuˈɛs"],
  ["well-known", "wˌɛlnˈOn"],
  ["A-list", "ˈA<list>"],
  ["MakeCats", "mˌAkkˈæts"],
  ["5am", "<5> ˌAˈɛm"],
  ["the U.S. dog. the U.S. The dog", "ðə jˌuˈɛs dˈɔɡ. ðə jˌuˈɛs. ðə dˈɔɡ"],
  ["to record, a record", "tə ɹəkˈɔɹd, ɐ ɹˈɛkəɹd"],
  ["cat A M, A cat", "kˈæt ˈA ˈɛm, ɐ kˈæt"],
  ["A M and M, A and A's, A cat and dog", "ˈA ˈɛm ænd ˈɛm, ˈA ænd ˈAz, ɐ kˈæt ænd dˈɔɡ"],
  ['"dog", "cat" (the "cat")', "“dˈɔɡ”, “kˈæt” (ðə “kˈæt”)"],
  ["by (apple)", "bI (ˈæpᵊl)"],
])("the text %s is pronounced word by word", (text, phonemes) =>
  expect(sayEnglish(text, unknown)).toBe(phonemes),
);

describe.skipIf(!hasMisaki || !hasEspeak)(
  `English by the real dictionaries${unlessMisaki || unlessEspeak}`,
  () => {
    test.each([
      ["Hello, world!", "həlˈO, wˈɜɹld!"],
      ["The apple is on the table.", "ði ˈæpᵊl ɪz ˌɔn ðə tˈAbᵊl."],
      ["water better city waiting button", "wˈɔTəɹ bˈɛTəɹ sˈɪTi wˈATɪŋ bˈʌtn"],
      ["the US and LA, OS, ID and IT", "ðə jˌuˈɛs ænd ˌɛlˈA, ˌOˈɛs, ˌIdˈi ænd ˌItˈi"],
      ["AD PA GI AI", "ˌAdˈi pˌiˈA ʤˌiˈI ˈAˌI"],
      ["GIVE IT TO US", "ɡˈɪv ɪt tʊ ˌʌs"],
      ["I do NOT want it", "ˌI dˈu nˈɑt wˈɑnt ɪt"],
      ["WHO is it? the WHO", "hˌu ɪz ɪt? ðə dˌʌbᵊljuˌAʧˈO"],
      ["HTML LLMs NGOs", "ˌAʧtˌiˌɛmˈɛl ˌɛlˌɛlˈɛmz ˌɛnʤˌiˈOz"],
      ["WWII", "dˌʌbᵊljudˈʌbᵊlju tˈu"],
      ["the CEO's PCs", "ðə sˌiˌiˈOz pˌisˈiz"],
      ["4K 5pm", "fˈɔɹ kˈA fˈIv pˌiˈɛm"],
      ["NASA and UNESCO", "nˈæsə ænd junˈɛskO"],
      ["PhD iOS OpenAI", "pˌiˌAʧdˈi ˌIOˈɛs ˌOpᵊnˈAˌI"],
      ["I used to read it. I have read it.", "ˌI jˈust tə ɹˈid ɪt. ˌI hæv ɹˈɛd ɪt."],
      ["A minute detail, a minute.", "ɐ mInˈut dətˈAl, ɐ mˈɪnət."],
      ["It closes at the close.", "ˌɪt klˈOzᵻz æt ðə klˈOz."],
    ])("%s is pronounced as in the reference", async (text, phonemes) =>
      expect(await learned.say(text, "en-us")).toBe(phonemes),
    );

    test("has British phonemes for a British voice", async () => {
      expect(await learned.say("Hello, world!", "en-gb")).toBe("həlˈQ, wˈɜːld!");
      expect(await learned.say("better water", "en-gb")).toBe("bˈɛtə wˈɔːtə");
    });

    test("a word that is in no dictionary is pronounced by eSpeak NG", async () => {
      expect(
        kokoroIds(await learned.say("It rarely rains in Zorblax, does it?", "en-us")).length,
      ).toBeGreaterThan(25);
    });
  },
);

test.skipIf(!hasMisaki)(`every word of the dictionaries is in the model's alphabet${unlessMisaki}`, () => {
  const gold = JSON.parse(readFileSync(`${MISAKI}/us_gold.json`, "utf8"));
  const plain = Object.values<string | object>(gold).filter((entry) => typeof entry === "string");
  expect(
    plain.filter((entry) => kokoroIds(entry as string).length !== [...(entry as string)].length),
  ).toEqual([]);
});
