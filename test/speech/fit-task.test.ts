/** Promise: an engine gets only what it can read, and its words are placed in the text that was asked for. */

import { expect, test } from "bun:test";
import { dropTags, fitTask, fitted, type SpeechAbilities } from "../../src/speech/fit-task.ts";
import { planSpeech } from "../../src/speech/plan.ts";
import { SPEECH } from "../engine/any-task.ts";
import { timedOf } from "../timed-samples.ts";
import { seeing } from "./seeing.ts";

const PLAIN = { name: "Flite: voices", does: ["word_times"], phonemes: null } satisfies SpeechAbilities;
const TEXT = "That is funny <laugh> and then <shout> I left <sigh>.";

test("a plan keeps expression tags and drops other markup", () => {
  expect(planSpeech(TEXT, "en").map(({ text }) => text)).toEqual([
    "That is funny <laugh> and then shout I left <sigh>.",
  ]);
  expect(planSpeech("Ja <breath> gut, a < b > c", "de").map(({ text }) => text)).toEqual([
    "Ja <breath> gut, a b c",
  ]);
});

test.each([
  ["That is funny <laugh> and then I left <sigh>.", "That is funny and then I left."],
  ["<laugh>", ""],
  ["<breath> Well.", "Well."],
  ["5 < 6 laugh", "5 < 6 laugh"],
])("an engine without expressions gets %s as %s", async (text, plain) => {
  const { runner, seen } = seeing();
  await fitted(runner, PLAIN).run({ ...SPEECH, text });
  expect(seen).toEqual([{ ...SPEECH, text: plain }]);
});

test("words are told where they stand in the text with its tags", async () => {
  const text = "<breath> One <laugh> two <sigh>";
  const plain = dropTags(text);
  const spoken = [...plain.matchAll(/\S+/g)].map(({ 0: word, index }, at) => ({
    from: index,
    to: index + word.length,
    start: at,
    end: at + 1,
  }));
  const timed = fitted(
    {
      run: async () => ({ samples: new Float32Array(2), words: spoken }) as never,
      async [Symbol.asyncDispose]() {},
    },
    PLAIN,
  );
  const { words } = await timed.run({ ...SPEECH, text, words: true }).then(timedOf);
  expect(words.map(({ from, to }) => text.slice(from, to))).toEqual(["One", "two"]);
});

test("pronunciations and tags are both undone for words", async () => {
  const text = "\uE000 <laugh> came";
  const { task, placed } = fitTask(
    { ...SPEECH, text, words: true, pronounced: { "\uE000": { text: "Siobhan", ipa: "ʃɪˈvɔːn" } } },
    PLAIN,
  );
  expect(task.text).toBe("Siobhan came");
  const times = { start: 0, end: 1 };
  const words = [
    { from: 0, to: 7, ...times },
    { from: 8, to: 12, ...times },
  ];
  const result = placed({ samples: new Float32Array(2), words });
  expect(timedOf(result).words.map(({ from, to }) => text.slice(from, to))).toEqual(["\uE000", "came"]);
});

test("the refusal of word times names every family that tells them", () => {
  const asked = { ...SPEECH, words: true as const };
  const refused = () => fitTask(asked, { ...PLAIN, does: [] });
  for (const name of ["Kokoro", "Piper", "Kitten", "Flite", "eSpeak NG"]) expect(refused).toThrow(name);
  for (const name of ["Supertonic", "Pocket"]) expect(refused).not.toThrow(name);
});
