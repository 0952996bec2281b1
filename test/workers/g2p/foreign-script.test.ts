/** Promise: kana and Chinese characters in another language are read by their sounds, and not named. */
import { expect, test } from "bun:test";
import { plainSyllables } from "../../../workers/g2p/chinese/pinyin.ts";
import { inLatin, writesHan } from "../../../workers/g2p/foreign-script.ts";

test.each([
  ["I live in カワサキ near 北京.", "I live in kawasaki near beijing."],
  ["こんにちは", "konnichiha"],
  ["きょう、ちゃ、しゅ、じょ", "kyou、cha、shu、jo"],
  ["ファン ティ ウィ ヴァ ッチ", "fan ti wi va tchi"],
  ["がっこう まっちゃ ロケット", "gakkou matcha roketto"],
  ["タワー・ブリッジ", "tawa burijji"],
  ["ｶﾞｲﾄﾞ", "gaido"],
  ["我们明天去公园", "wo men ming tian qu gong yuan"],
  ["Plain text, café, Ω.", "Plain text, café, Ω."],
])("%s", (text, latin) => {
  expect(inLatin(text, plainSyllables)).toBe(latin);
});

test("without a reader of Chinese characters they are left out", () => {
  expect(inLatin("in 東京タワー", () => [])).toBe("in tawa");
});

test("languages that write them keep them", () => {
  expect(["cmn", "zh-CN", "ja", "yue", "en-us", "ko", "jam"].map(writesHan)).toEqual([
    true,
    true,
    true,
    true,
    false,
    false,
    false,
  ]);
});
