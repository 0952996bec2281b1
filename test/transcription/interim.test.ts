/** Promise: text that may still change is told beyond the final words, never in their place, and only where it is wanted. */
import { expect, test } from "bun:test";
import { ASR_SAMPLE_RATE } from "../../src/audio/rates.ts";
import type { RecognitionTask, Word } from "../../src/engine/protocol/recognition.ts";
import type { Engine } from "../../src/engine/registry.ts";
import { Refusal } from "../../src/errors.ts";
import {
  type LiveOptions,
  type LiveRecognizer,
  openRepeatedRecognition,
} from "../../src/transcription/live.ts";
import { withReopening } from "../../src/transcription/reopening.ts";

const SECOND = ASR_SAMPLE_RATE;

/** Hears a word a second; the last is another one each time. */
function unsure(): Engine {
  let runs = 0;
  return {
    async run<T>(task: object): Promise<T> {
      const { samples, port } = task as RecognitionTask;
      const seconds = Math.floor(samples.length / SECOND);
      runs++;
      const words = Array.from({ length: seconds }, (_, index) =>
        wordAt(index, index === seconds - 1 ? `maybe${runs}` : `w${index}`),
      );
      port.postMessage({ start: 0, end: seconds, words });
      return 1 as T;
    },
  };
}

const wordAt = (index: number, text: string): Word => ({
  text,
  start: index,
  end: index + 0.9,
  confidence: 1,
});

const idle = async () => {
  for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
};

const options = (callbacks: Partial<LiveOptions>): LiveOptions => ({
  ...{ engine: "e", language: null, prompt: "", organization: "org", request: "req", spoken: true },
  ...{ words() {}, progressed() {}, settled() {}, ...callbacks },
});

test("what an engine heard last follows the final words", async () => {
  const words: string[] = [];
  const told: string[] = [];
  const stream = openRepeatedRecognition(() => unsure()).open(
    options({
      words: (more) => words.push(...more.map(({ text }) => text)),
      interim: (more) => told.push([...words, "|", ...more.map(({ text }) => text)].join(" ")),
    }),
  );
  for (let second = 0; second < 4; second++) {
    stream.push(new Float32Array(SECOND));
    await idle();
  }
  expect(told).toEqual(["| maybe1", "| w0 maybe2", "| w0 w1 maybe3", "w0 | w1 w2 maybe4"]);
  stream.drop();
});

/** What the test says is heard, and then the engine is lost. */
function saying() {
  const opened: LiveOptions[] = [];
  const recognizer: LiveRecognizer = {
    open(listener) {
      opened.push(listener);
      return { push() {}, pause() {}, finish() {}, drop() {}, behindSeconds: () => 0 };
    },
  };
  return { opened, recognizer: withReopening(recognizer) };
}

test("what another engine hears again after a loss is not told as new", () => {
  const { opened, recognizer } = saying();
  const told: string[] = [];
  recognizer.open(options({ interim: (more) => told.push(more.map(({ text }) => text).join(" ")) }));
  opened[0]!.words([wordAt(0, "old"), wordAt(1, "house")]);
  opened[0]!.interim!([wordAt(2, "by")]);
  opened[0]!.settled(new Refusal("inference_unavailable", "lost"));
  opened[1]!.words([wordAt(0, "old")]);
  opened[1]!.interim!([wordAt(1, "house"), wordAt(2, "by")]);
  opened[1]!.words([wordAt(1, "house")]);
  opened[1]!.interim!([wordAt(2, "buy")]);
  expect(told).toEqual(["by", "buy"]);
});

test("nothing of it is asked for by a listener that does not want it", () => {
  const { opened, recognizer } = saying();
  recognizer.open(options({}));
  opened[0]!.settled(new Refusal("inference_unavailable", "lost"));
  expect(opened.map(({ interim }) => interim)).toEqual([undefined, undefined]);
});
