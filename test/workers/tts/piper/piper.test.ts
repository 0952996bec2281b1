/** Promise: Piper's voices get what they were trained on: six marks, and each sentence by itself. */

import { afterAll, expect, test } from "bun:test";
import { TTS_SAMPLE_RATE } from "../../../../src/audio/rates.ts";
import type { PiperVoice } from "../../../../src/engine/families/piper-voice.ts";
import { samplesOf } from "../../../../src/engine/protocol/synthesis.ts";
import { soleClaim } from "../../../../src/engine/runner.ts";
import { piperContents } from "../../../../testing/packages/families/voices.ts";
import { openTestStore } from "../../../../testing/packages/model-store.ts";
import { joinPauses } from "../../../../workers/g2p/pauses.ts";
import { piperIds } from "../../../../workers/tts/piper/phonemes.ts";
import { hasEspeak, openReader, unlessEspeak } from "../../g2p/reader.ts";

const reader = openReader([]);
const store = openTestStore();
afterAll(() => Promise.all([reader.close(), store[Symbol.asyncDispose]()]));

const VOICE = {
  phoneme_id_map: { _: [0], "^": [1], $: [2], " ": [3], ".": [4], a: [5], b: [6], "\u0303": [7, 8] },
} as unknown as PiperVoice;

const idsOf = (phonemes: string) => piperIds(phonemes, VOICE).sentences.map(({ ids }) => ids);

test("ids have a pad behind each one, as in piper-phonemize", () => {
  expect(idsOf("ã")).toEqual([[1, 0, 5, 0, 7, 0, 8, 0, 2]]);
});

test("each sentence begins and ends by itself", () => {
  expect(idsOf("a. b a")).toEqual([
    [1, 0, 5, 0, 4, 0, 2],
    [1, 0, 6, 0, 3, 0, 5, 0, 2],
  ]);
});

test("a sentence of more than 600 phonemes is several sequences, divided at pauses", () => {
  const lengths = (phonemes: string) => idsOf(phonemes).map(({ length }) => (length - 3) / 2);
  expect(lengths("a".repeat(600))).toEqual([600]);
  expect(lengths("a".repeat(4000))).toEqual([600, 600, 600, 600, 600, 600, 400]);
  expect(lengths(`${"ab ".repeat(190)}ab. ${"ab ".repeat(300)}`)).toEqual([573, 599, 299]);
  const { sentences } = piperIds("a".repeat(700), VOICE);
  expect(sentences[1]!.places.filter((place) => place >= 0 && place < 600)).toEqual([]);
});

test("a sentence without a known phoneme is left out, and unknown ones are counted", () => {
  expect(piperIds("?", VOICE)).toEqual({ sentences: [], unknown: new Map([["?", 1]]) });
  expect(piperIds("axxb", VOICE).unknown).toEqual(new Map([["x", 2]]));
  expect(piperIds(". a.", VOICE).sentences).toHaveLength(1);
});

test.each([
  ["Er sagte (leise) nein.", "er sagte leise nein."],
  ['Er sagte "leise", dann', "er sagte leise, dann"],
  ["«Bonjour» (dit-il) — il", "bonjour dit-il il"],
  ["Ja… Wirklich?! Gut;gut: gut", "ja. wirklich? gut; gut: gut"],
  ["¿Qué? ¡No!", "qué? no!"],
  ["[a] {b} — (c)", "a b c"],
  ["der 3. war z.B. ein Tag, usw. und so", "der 3. war z.b. ein tag, usw. und so"],
  ["3,5 und 1.234", "3,5 und 1.234"],
  ["(?)", ""],
])("%s has only the marks of the training data", (text, marked) => {
  expect(joinPauses(text, (words) => words.toLowerCase())).toBe(marked);
});

test.skipIf(!hasEspeak)(`an ordinal is read as one${unlessEspeak}`, async () => {
  const say = (text: string) => reader.say(text, "de", "ipa");
  expect(await say("der 3. war")).toBe("dɛɾ dɾˈɪtə vɑːɾ");
  expect(await say("Ja. Nein!")).toBe("jˈɑː. nˈaɪn!");
});

test("two sentences have 0.2 s of silence between them", async () => {
  store.add("piper", "vits", { contents: piperContents() });
  const task = {
    text: "",
    language: "de",
    speaker: "0",
    speed: 1,
    kind: "synthesis" as const,
    instructions: "",
  };
  const say = (phonemes: string) =>
    store.registry
      .engine("piper")
      .run({ ...task, phonemes }, soleClaim())
      .then(samplesOf);
  const [one, two] = [await say("abababab."), await say("abababab. abababab.")];
  const silence = Math.round(0.2 * TTS_SAMPLE_RATE);
  expect(Math.abs(two.length - 2 * one.length - silence)).toBeLessThan(4);
  const middle = two.subarray(one.length + 200, one.length + silence - 200);
  expect(middle.every((sample) => Math.abs(sample) < 1e-3)).toBe(true);
});
