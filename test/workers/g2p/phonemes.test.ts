/** Promise: text becomes the phonemes that voices were trained on: by dictionaries, by rules, by eSpeak NG. */
import { afterAll, describe, expect, test } from "bun:test";
import { espeakVoice } from "../../../src/engine/protocol/g2p.ts";
import { joinRuns, splitMarks } from "../../../workers/g2p/marks.ts";
import { kokoroIds } from "../../../workers/tts/kokoro/phonemes.ts";
import { supertonicIds, supertonicText } from "../../../workers/tts/supertonic/characters.ts";
import { goldens, hasGoldens, unlessGoldens } from "../asr/goldens.ts";
import { hasEspeak, openReader, unlessEspeak } from "./reader.ts";

const reader = openReader([]);
afterAll(() => reader.close());
const read = reader.say;

test.skipIf(!hasEspeak)(`no character of another script is named${unlessEspeak}`, async () => {
  for (const alphabet of ["ipa", "kokoro"] as const)
    for (const voice of ["en-us", "de", "ru"]) {
      const written = await read("A 東京タワー b", voice, alphabet);
      expect(written).toBe(await read("A dongjing tawa b", voice, alphabet));
    }
});

describe.skipIf(!hasGoldens || !hasEspeak)(
  `phonemes of other languages equal the goldens${unlessGoldens || unlessEspeak}`,
  () => {
    type Golden = { lang: string; text: string; kokoro_no_punct: string; ids: number[] };
    const all: Golden[] = goldens.espeak_to_kokoro ?? [];
    test.each(all.map((each): [string, Golden] => [each.lang, each]))(
      "%s",
      async (lang, { text, kokoro_no_punct, ids }) => {
        const phonemes = await read(text, lang);
        const bare = phonemes
          .replace(/[¿?,.!]/g, "")
          .replace(/\s+/g, " ")
          .trim();
        expect(bare).toBe(kokoro_no_punct);
        expect(kokoroIds(bare)).toEqual(ids);
      },
    );

    test("a missing voice is an error, and the next task works", async () => {
      await expect(read("Hello", "xx-nobody")).rejects.toThrow("no voice xx-nobody");
      expect(await read("Ciao", "it", "ipa")).toBe("tʃˈao");
    });
  },
);

test("punctuation is kept, except inside a number or a name", () => {
  const upper = (text: string) => joinRuns(splitMarks(text), (run) => run.text.toUpperCase());
  expect(upper("Well, (yes) 3.5 is more; is it?")).toBe("WELL, (YES) 3.5 IS MORE; IS IT?");
  expect(upper("¿Qué tal?")).toBe("¿QUÉ TAL?");
  expect(upper("  ")).toBe("");
});

test("languages are named as in eSpeak NG", () => {
  expect(["en-US", "en-GB", "en", "pt-BR", "zh-CN", "fr"].map(espeakVoice)).toEqual([
    "en-us",
    "en-gb",
    "en-us",
    "pt-br",
    "cmn",
    "fr",
  ]);
});

describe.skipIf(!hasGoldens)(`Supertonic's text equals the goldens${unlessGoldens}`, () => {
  type Golden = { in: string; lang: string; out_nfkd: string; codepoints: number[] };
  const all: Golden[] = goldens.supertonic_v3_preprocess_sherpa_semantics ?? [];
  test.each(all.map((each): [string, Golden] => [each.in, each]))(
    "%s",
    (_text, { in: text, lang, out_nfkd, codepoints }) => {
      const prepared = supertonicText(text, lang);
      expect(prepared).toBe(out_nfkd);
      const table = Array.from({ length: 0x1_0000 }, (_, at) => at);
      expect(supertonicIds(prepared, table)).toEqual(codepoints);
    },
  );
});
