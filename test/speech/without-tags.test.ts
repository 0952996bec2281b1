/** Promise: expression tags reach the engines that speak them, and no other engine says their words. */
import { expect, test } from "bun:test";
import type { Runner } from "../../src/engine/runner.ts";
import { planSpeech } from "../../src/speech/plan.ts";
import { withoutTags } from "../../src/speech/without-tags.ts";

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
  const seen: object[] = [];
  const runner: Runner = {
    async run<T>(task: object) {
      seen.push(task);
      return null as T;
    },
    async [Symbol.asyncDispose]() {},
  };
  await withoutTags(runner).run({ text, speaker: "a" });
  expect(seen).toEqual([{ text: plain, speaker: "a" }]);
});
