/** Promise: words and sounds are brought together in order, whatever their numbers. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { align } from "../../../../workers/tts/words/align.ts";
import { phonemeWordsOf, wordsOf } from "../../../../workers/tts/words/tokens.ts";

const together = (text: string, phonemes: string) => {
  const [words, sounds] = [wordsOf(text), phonemeWordsOf(phonemes)];
  return align(words, sounds).map(({ from, to }, index) => [
    text.slice(words[index]!.from, words[index]!.to),
    sounds
      .slice(Math.floor(from), Math.ceil(to))
      .map((sound) => phonemes.slice(sound.from, sound.to))
      .join(" "),
  ]);
};

test.each([
  ["Guten Tag, Herr Müller!", "ɡˈuːtən tˈɑːk, hˈɛɾ mˈʏlɜ!", ["ɡˈuːtən", "tˈɑːk", "hˈɛɾ", "mˈʏlɜ"]],
  [
    "im Jahr 1999 war es",
    "ɪm jˈɑːɾ nˈɔøntseːnhˌʊndɜt nˈɔønʊntnˌɔøntsɪç vɑːɾ ɛs",
    ["ɪm", "jˈɑːɾ", "nˈɔøntseːnhˌʊndɜt nˈɔønʊntnˌɔøntsɪç", "vɑːɾ", "ɛs"],
  ],
  ["one of the cats", "wˈʌn əvðə kˈæts", ["wˈʌn", "əvðə", "əvðə", "kˈæts"]],
  ["今天 天气", "tɕˈi→n tʰjˈɛ→n tʰjˈɛ→n tɕhˈi↘", ["tɕˈi→n", "tʰjˈɛ→n", "tʰjˈɛ→n", "tɕhˈi↘"]],
  ["« Oui », dit-il !", "wˈi, dit il!", ["wˈi", "dit il"]],
])("%s", (text, phonemes, sounds) => {
  expect(together(text, phonemes).map(([, sound]) => sound!)).toEqual(sounds);
});

const tokens = fc
  .array(fc.record({ weight: fc.integer({ min: 1, max: 20 }), mark: fc.boolean() }), { maxLength: 30 })
  .map((list) => list.map((token, index) => ({ from: index, to: index + 1, ...token })));

test("spans are in order and within the sounds", () => {
  fc.assert(
    fc.property(tokens, tokens, (words, sounds) => {
      const spans = align(words, sounds);
      expect(spans.length).toBe(words.length);
      let last = 0;
      for (const { from, to } of spans) {
        expect(from).toBeGreaterThanOrEqual(last - 1e-9);
        expect(to).toBeGreaterThanOrEqual(from);
        expect(to).toBeLessThanOrEqual(sounds.length + 1e-9);
        last = to;
      }
    }),
  );
});
