/** Promise: expression tags reach the engines that speak them, and no other engine says their words. */

import { expect, test } from "bun:test";
import { planSpeech } from "../../../src/speech/plan.ts";
import { dropTags, withoutTags } from "../../../src/speech/runners/without-tags.ts";
import { SPEECH } from "../../engine/any-task.ts";
import { timedOf } from "../../timed-samples.ts";
import { seeing } from "./seeing.ts";

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
  await withoutTags(runner).run({ ...SPEECH, text });
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
  const timed = withoutTags({
    run: async () => ({ samples: new Float32Array(2), words: spoken }) as never,
    async [Symbol.asyncDispose]() {},
  });
  const { words } = await timed.run({ ...SPEECH, text, words: true }).then(timedOf);
  expect(words.map(({ from, to }) => text.slice(from, to))).toEqual(["One", "two"]);
});
