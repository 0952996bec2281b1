/**
 * Promise: engines prefer the keywords of each caller and of no other, in recordings and in live streams: a word that
 * is nearly as likely is written more often, and all else as before.
 */
import { afterAll, describe, expect, test } from "bun:test";
import { ASR_SAMPLE_RATE } from "../../../../src/audio/rates.ts";
import type { StreamingTask } from "../../../../src/engine/protocol/streaming-recognition.ts";
import { soleClaim } from "../../../../src/engine/runner.ts";
import { recognize } from "../../../../src/transcription/recognize.ts";
import { nemoContents, nemoOptions } from "../../../../testing/packages/families/nemo.ts";
import { STREAMING, streamingContents } from "../../../../testing/packages/families/nemo-streaming.ts";
import { type Contents, openTestStore } from "../../../../testing/packages/model-store.ts";
import { openRandom } from "../../../../testing/packages/random.ts";

const store = openTestStore();
afterAll(() => store[Symbol.asyncDispose]());

const noise = () => {
  const random = openRandom(4);
  return Float32Array.from({ length: 6 * ASR_SAMPLE_RATE }, () => (random() - 0.5) * 0.2);
};

async function ofRecording(name: string, keywords: string[]): Promise<string> {
  const samples = noise();
  const spans = [{ start: 0, end: samples.length }];
  const recording = { samples, spans, language: null, prompt: "", keywords, claim: soleClaim() };
  const hypotheses = await Array.fromAsync(recognize(store.registry.engine(name), recording));
  return hypotheses.flatMap(({ words }) => words.map(({ text }) => text)).join(" ");
}

let lastId = 0;
async function ofStream(name: string, keywords: string[]): Promise<string> {
  const id = ++lastId;
  const task: StreamingTask = {
    kind: "streaming-recognition",
    open: [{ id, language: null, keywords }],
    feed: [{ id, samples: noise() }],
    finish: [id],
    close: [id],
  };
  const results = await store.registry.engine(name).run(task, soleClaim());
  return results.flatMap(({ words }) => words.map(({ text }) => text)).join(" ");
}

const wordsIn = (contents: Contents): string[] =>
  String(contents.vocabulary!.bytes)
    .split("\n")
    .flatMap((line) => /^▁(\S+) \d+$/.exec(line)?.[1] ?? []);
const countOf = (word: string, text: string) => text.split(" ").filter((each) => each === word).length;

const ENGINES: [name: string, contents: Contents, options: object, written: typeof ofRecording][] = [
  ["ctc", nemoContents.ctc(), nemoOptions("ctc"), ofRecording],
  ["rnnt", nemoContents.split(), nemoOptions("rnnt"), ofRecording],
  ["tdt", nemoContents.joint({ durations: 5 }), nemoOptions("tdt", 5), ofRecording],
  ["streaming", streamingContents({ listening: true }), STREAMING, ofRecording],
  ["live", streamingContents({ listening: true }), STREAMING, ofStream],
];

describe.each(ENGINES)("%s", (name, contents, options, written) => {
  test("writes a keyword more often, and forgets it", async () => {
    store.add(name, name === "streaming" || name === "live" ? "nemo-streaming" : "nemo", {
      options,
      contents,
    });
    const words = wordsIn(contents);
    expect(words.length).toBeGreaterThan(5);
    const plain = await written(name, []);
    expect(plain.split(" ").length).toBeGreaterThan(3);
    const biased = await Promise.all(words.map((word) => written(name, [word]))); // some of them in one batch
    const more = words.filter((word, index) => countOf(word, biased[index]!) > countOf(word, plain));
    const fewer = words.filter((word, index) => countOf(word, biased[index]!) < countOf(word, plain));
    expect(more.length).toBeGreaterThan(fewer.length);
    expect(await written(name, words.slice(0, 1))).toBe(biased[0]!);
    expect(await written(name, ["nowhere"])).toBe(plain);
    expect(await written(name, [])).toBe(plain);
  });
});
