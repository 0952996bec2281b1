/**
 * Promise: a live stream of any length keeps a bounded part of its sound, its words follow each other in time, and
 * keywords are preferred.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { ASR_SAMPLE_RATE } from "../../../../src/audio/rates.ts";
import type { Word } from "../../../../src/engine/protocol/recognition.ts";
import type { StreamingTask } from "../../../../src/engine/protocol/streaming-recognition.ts";
import { soleClaim } from "../../../../src/engine/runner.ts";
import { moonshineContents, oneFileFrontend } from "../../../../testing/packages/families/moonshine.ts";
import { FRAMES_PER_TOKEN } from "../../../../testing/packages/families/moonshine-decoder.ts";
import { type Contents, openTestStore } from "../../../../testing/packages/model-store.ts";
import { openRandom } from "../../../../testing/packages/random.ts";

const store = openTestStore();
afterAll(() => store[Symbol.asyncDispose]());
let contents: Contents;
beforeAll(async () => {
  contents = await moonshineContents();
  store.add("moonshine", "moonshine", { contents });
});

const noise = (seconds: number) => {
  const random = openRandom(7);
  return Float32Array.from({ length: seconds * ASR_SAMPLE_RATE }, () => (random() - 0.5) * 0.2);
};

let lastId = 0;
async function streamed(
  samples: Float32Array,
  keywords: string[] = [],
  engine = "moonshine",
): Promise<Word[]> {
  const id = ++lastId;
  const run = (task: Partial<StreamingTask>) =>
    store.registry
      .engine(engine)
      .run(
        { kind: "streaming-recognition", open: [], feed: [], finish: [], close: [], ...task },
        soleClaim(),
      );
  await run({ open: [{ id, language: null, keywords }] });
  const words: Word[] = [];
  for (let at = 0; at < samples.length; at += ASR_SAMPLE_RATE)
    for (const result of await run({ feed: [{ id, samples: samples.slice(at, at + ASR_SAMPLE_RATE) }] }))
      words.push(...result.words);
  for (const result of await run({ finish: [id], close: [id] })) words.push(...result.words);
  return words;
}

const TOKEN_SECONDS = FRAMES_PER_TOKEN * 0.02;
const tokensIn = (words: Word[]) => words.flatMap(({ text }) => text.match(/word|ly|\./g) ?? []).length;

test("the words of 40 s follow each other, about one token for each part of the sound", async () => {
  const words = await streamed(noise(40));
  expect(Math.abs(tokensIn(words) - 40 / TOKEN_SECONDS)).toBeLessThan(8); // a few at each of two cuts
  for (const [index, { start, end }] of words.entries()) {
    expect(end).toBeGreaterThanOrEqual(start);
    expect(start).toBeGreaterThanOrEqual((words[index - 1]?.end ?? 0) - 0.03); // a cut is at a whole frame
  }
  expect(words.at(-1)!.end).toBeWithin(39, 40.01);
}, 120_000);

test("a keyword is written more often, and forgotten", async () => {
  const samples = noise(6);
  const countOf = (words: Word[], text: string) => words.filter((word) => word.text === text).length;
  const plain = await streamed(samples);
  const keywords = ["word1", "word2", "word3", "word5"];
  let more = 0;
  for (const keyword of keywords)
    more += countOf(await streamed(samples, [keyword]), keyword) - countOf(plain, keyword);
  expect(more).toBeGreaterThan(0);
  expect(await streamed(samples)).toEqual(plain);
});

test("a stream without sound has no words", async () => {
  expect(await streamed(new Float32Array(0))).toEqual([]);
});

test("an older export, whose frontend is one file, writes the same", async () => {
  const { "frontend-weights": _, ...others } = contents;
  store.add("one-file", "moonshine", { contents: { ...others, ...(await oneFileFrontend()) } });
  expect(await streamed(noise(6), [], "one-file")).toEqual(await streamed(noise(6)));
});

test("weights of another frontend are refused by name", async () => {
  store.add("others-weights", "moonshine", {
    contents: { ...contents, frontend: { ...(await oneFileFrontend()).frontend! } },
  });
  await expect(streamed(noise(1), [], "others-weights")).rejects.toThrow(/this is another model/);
});

test("an export that does not tell where it attends to writes the same words, at times that are estimated", async () => {
  const options = { estimated_times: true };
  store.add("unattended", "moonshine", { contents: await moonshineContents({ attends: false }), options });
  const words = await streamed(noise(6), [], "unattended");
  const textOf = (all: Word[]) => all.map(({ text }) => text).join(" ");
  expect(textOf(words)).toBe(textOf(await streamed(noise(6))));
  expect(words.at(-1)!.end).toBeWithin(5.5, 6.01);
  const long = await streamed(noise(40), [], "unattended");
  expect(Math.abs(tokensIn(long) - 40 / TOKEN_SECONDS)).toBeLessThan(8);
  for (const [index, { start }] of long.entries())
    expect(start).toBeGreaterThanOrEqual((long[index - 1]?.end ?? 0) - 0.03);
}, 120_000);

test("an export without attention is refused by name", async () => {
  store.add("other", "moonshine", {
    contents: { ...contents, decoder: { ...contents.encoder!, path: "other.ort" } },
  });
  const opened = store.registry
    .engine("other")
    .run(
      { kind: "streaming-recognition", open: [{ id: 1, language: null }], feed: [], finish: [], close: [] },
      soleClaim(),
    );
  await expect(opened).rejects.toThrow("this is another model: it has no input token");
});
