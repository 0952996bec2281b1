/** Promise: text becomes the phonemes that voices were trained on: by dictionaries, by rules, by eSpeak NG. */
import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { installedFamilies } from "../../../src/engine/families/installed.ts";
import { openProcessPool } from "../../../src/engine/process-pool.ts";
import { espeakVoice, type G2pTask } from "../../../src/engine/protocol/g2p.ts";
import { syllable } from "../../../workers/g2p/chinese.ts";
import { EnglishWords } from "../../../workers/g2p/english.ts";
import { sayRuns, splitMarks } from "../../../workers/g2p/marks.ts";
import { kokoroIds } from "../../../workers/tts/kokoro/phonemes.ts";
import { type PiperVoice, piperIds } from "../../../workers/tts/piper/phonemes.ts";
import { supertonicIds, supertonicText } from "../../../workers/tts/supertonic/characters.ts";
import { WEIGHTS } from "../../clips.ts";
import { goldens, hasGoldens, unlessGoldens } from "../asr/goldens.ts";

const hasEspeak = installedFamilies().has("espeak");
const unlessEspeak = hasEspeak ? "" : " (skipped: @echogarden/espeak-ng-emscripten is not installed)";
const MISAKI = `${WEIGHTS}/misaki`;
const hasMisaki = existsSync(MISAKI);
const unlessMisaki = hasMisaki ? "" : " (skipped: the English dictionaries are not here)";

const open = (args: string[]) =>
  openProcessPool(new URL("../../../workers/g2p/g2p.ts", import.meta.url), { size: 1, queueMax: 100, args });
const reader = open([]);
const learned = open([MISAKI]);
afterAll(() => Promise.all([reader, learned].map((each) => each[Symbol.asyncDispose]())));
const task = (text: string, voice: string, more: Partial<G2pTask> = {}): G2pTask => ({
  text,
  voice,
  alphabet: "kokoro",
  ...more,
});
const read = (...words: Parameters<typeof task>) => reader.run<string>(task(...words));

describe("English by dictionaries and rules", () => {
  const words = new EnglishWords(
    {
      apple: "ˈæpᵊl",
      cat: "kˈæt",
      dog: "dˈɔɡ",
      watch: "wˈɑʧ",
      make: "mˈAk",
      need: "nˈid",
      constructor: "kənstɹˈʌktəɹ",
      run: "ɹˈʌn",
      to: "tu",
      am: "æm",
      and: "ænd",
      by: { DEFAULT: "bI", None: "bˈI" },
      A: "ˈA",
      B: "bˈi",
      C: "sˈi",
    },
    { rarely: "ɹˈɛɹli" },
    false,
  );
  test.each([
    ["apple", "ˈæpᵊl"],
    ["Apple", "ˈæpᵊl"],
    ["rarely", "ɹˈɛɹli"],
    ["cats", "kˈæts"],
    ["dogs", "dˈɔɡz"],
    ["watches", "wˈɑʧᵻz"],
    ["dog's", "dˈɔɡz"],
    ["making", "mˈAkɪŋ"],
    ["running", "ɹˈʌnɪŋ"],
    ["watched", "wˈɑʧt"],
    ["needed", "nˈidᵻd"],
    ["ABC", "ˌAbˌisˈi"],
    ["zorblax", null],
    ["constructor", "kənstɹˈʌktəɹ"],
    ["toString", null],
    ["__proto__", null],
  ])("%s", (word, said) => expect(words.say(word, "consonant")).toBe(said));

  test("what follows decides how the small words are said", () => {
    const the = (following: "vowel" | "consonant" | null) => words.say("the", following);
    expect([the("vowel"), the("consonant")]).toEqual(["ði", "ðə"]);
    expect([words.say("to", "vowel"), words.say("to", "consonant"), words.say("to", null)]).toEqual([
      "tʊ",
      "tə",
      "tu",
    ]);
    expect([words.say("by", "consonant"), words.say("by", null)]).toEqual(["bI", "bˈI"]);
    expect([words.say("am", "consonant"), words.say("am", null)]).toEqual(["ɐm", "æm"]);
  });

  test.skipIf(!hasMisaki || !hasEspeak)(`the real ones${unlessMisaki || unlessEspeak}`, async () => {
    const say = (text: string, voice = "en-us") => learned.run<string>(task(text, voice));
    expect(await say("Hello, world!")).toBe("həlˈO, wˈɜɹld!");
    expect(await say("Hello, world!", "en-gb")).toBe("həlˈQ, wˈɜːld!");
    expect(await say("The apple is on the table.")).toBe("ði ˈæpᵊl ɪz ˌɔn ðə tˈAbᵊl.");
    expect(kokoroIds(await say("It rarely rains in Zorblax, does it?")).length).toBeGreaterThan(25);
  });

  test.skipIf(!hasMisaki)(`every word of them is in the model's alphabet${unlessMisaki}`, () => {
    const gold = JSON.parse(readFileSync(`${MISAKI}/us_gold.json`, "utf8"));
    const plain = Object.values<string | object>(gold).filter((entry) => typeof entry === "string");
    expect(
      plain.filter((entry) => kokoroIds(entry as string).length !== [...(entry as string)].length),
    ).toEqual([]);
  });
});

describe.skipIf(!hasGoldens || !hasEspeak)(
  `other languages, to the goldens${unlessGoldens || unlessEspeak}`,
  () => {
    type Golden = { lang: string; text: string; kokoro_no_punct: string; ids: number[] };
    const all: Golden[] = goldens.espeak_to_kokoro ?? [];
    test.each(all.map((each): [string, Golden] => [each.lang, each]))(
      "%s",
      async (lang, { text, kokoro_no_punct, ids }) => {
        const said = await read(text, lang);
        const bare = said
          .replace(/[¿?,.!]/g, "")
          .replace(/\s+/g, " ")
          .trim();
        expect(bare).toBe(kokoro_no_punct);
        expect(kokoroIds(bare)).toEqual(ids);
      },
    );

    test("a voice that is not there is an error, and the next one is not hurt", async () => {
      await expect(read("Hello", "xx-nobody")).rejects.toThrow("no voice xx-nobody");
      expect(await read("Ciao", "it", { alphabet: "ipa" })).toBe("tʃˈao");
    });
  },
);

test("marks are kept where they were, and one inside a number or a name is none", () => {
  const upper = (text: string) => sayRuns(splitMarks(text), (words) => words.toUpperCase());
  expect(upper("Well, (yes) 3.5 is more; is it?")).toBe("WELL, (YES) 3.5 IS MORE; IS IT?");
  expect(upper("¿Qué tal?")).toBe("¿QUÉ TAL?");
  expect(upper("  ")).toBe("");
});

test("languages by the name that eSpeak NG has for them", () => {
  expect(["en-US", "en-GB", "en", "pt-BR", "zh-CN", "fr"].map(espeakVoice)).toEqual([
    "en-us",
    "en-gb",
    "en-us",
    "pt-br",
    "cmn",
    "fr",
  ]);
});

test("Piper's ids: a pad behind every one, as piper-phonemize has it, and nothing for nothing", () => {
  const voice = {
    phoneme_id_map: { _: [0], "^": [1], $: [2], a: [5], "\u0303": [7, 8] },
  } as unknown as PiperVoice;
  expect(piperIds("ã?", voice)).toEqual([1, 0, 5, 0, 7, 0, 8, 0, 2]);
  expect(piperIds("?", voice)).toBeNull();
});

describe.skipIf(!hasGoldens)(`Supertonic's text, to the goldens${unlessGoldens}`, () => {
  type Golden = { in: string; lang: string; out_nfkd: string; codepoints: number[] };
  const all: Golden[] = goldens.supertonic_v3_preprocess_sherpa_semantics ?? [];
  test.each(all.map((each): [string, Golden] => [each.in, each]))(
    "%s",
    (_text, { in: text, lang, out_nfkd, codepoints }) => {
      const told = supertonicText(text, lang);
      expect(told).toBe(out_nfkd);
      const table = Array.from({ length: 0x1_0000 }, (_, at) => at);
      expect(supertonicIds(told, table)).toEqual(codepoints);
    },
  );
});

describe("Chinese", () => {
  test.each([
    ["zhi1", "ꭧɨ→"],
    ["shi4", "ʂɨ↘"],
    ["nv3", "ny↓"],
    ["xue2", "ɕɥe↗"],
    ["yuan2", "ɥɛ↗n"],
    ["you3", "jou↓"],
    ["wang2", "wa↗ŋ"],
    ["weng1", "wə→ŋ"],
    ["er4", "ɚ↘"],
    ["qiong2", "ʨʰjʊ↗ŋ"],
    ["dui4", "twei↘"],
    ["ma0", "ma"],
    ["hm5", "hm5"],
  ])("%s", (pinyin, said) => expect(syllable(pinyin)).toBe(said));

  test("Chinese is read word by word, with marks and numbers", async () => {
    expect(await read("今天天气很好，我们有25个。", "cmn")).toBe(
      "ʨi→ntʰjɛ→n tʰjɛ→nʨʰi↘ xə↓nxau↓, wo↓mən jou↓ ɚ↘ ʂɨ↗ u↓ kɤ↘.",
    );
  });

  test("every syllable there is has its sounds in the model's alphabet", () => {
    const initials = ["", ..."b p m f d t n l g k h j q x r z c s zh ch sh".split(" ")];
    const written =
      "a ai an ang ao e ei en eng i ia ian iang iao ie in ing iong iu ong ou u ua uai uan uang ui un uo ue".split(
        " ",
      );
    for (const initial of initials)
      for (const final of initial === ""
        ? ["a", "yi", "yue", "yuan", "you", "wu", "wo", "wen", "er"]
        : written) {
        const said = syllable(`${initial}${final}1`);
        if (said !== `${initial}${final}1`) expect(kokoroIds(said)).toHaveLength([...said].length);
      }
  });
});
