/**
 * Promise: live text is the transcript of the recording, in order, no word lost and none said twice, whatever the frames
 * in which the audio arrives, the speed of the engine, the pauses, and what a model does at the edges of its audio.
 */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { ASR_SAMPLE_RATE } from "../../src/audio/rates.ts";
import type { RecognitionTask, Word } from "../../src/engine/protocol/recognition.ts";
import type { Engine } from "../../src/engine/registry.ts";
import { openLiveStream } from "./live-stream.ts";

type Spoken = { text: string; start: number; end: number };
type Habits = {
  /** Leaves out the word at which its audio begins. */
  dropsFirst: boolean;
  /** Seconds by which its times are off, and the times of the last word of incomplete audio stretch to its end. */
  jitter: number[];
  marks: boolean;
};

const FIRST_SOUND = 0.1; // seconds of a word that are enough to recognize it, in part

/** Sound whose samples are their own positions, so that the engine knows which part it is given. */
const sound = (from: number, to: number) =>
  Float32Array.from({ length: to - from }, (_, index) => from + index);

function scripted(words: Spoken[], { dropsFirst, jitter, marks }: Habits) {
  let run = 0;
  const waiting: (() => void)[] = [];
  const engine: Engine = {
    async run<T>(task: object): Promise<T> {
      const { samples, port } = task as RecognitionTask;
      const [from, end] = [samples[0]! / ASR_SAMPLE_RATE, (samples.at(-1)! + 1) / ASR_SAMPLE_RATE];
      const all = hear(words, from, end);
      const [first, ...rest] = all;
      const isAtEdge = first !== undefined && from > 0 && first.start - from < FIRST_SOUND;
      run++;
      await new Promise<void>((resolve) => waiting.push(resolve));
      const hypothesis = (dropsFirst && isAtEdge ? rest : all).map((word, index): Word => {
        const off = jitter[(run + index) % jitter.length]!;
        const mark = marks && (run + index) % 3 === 0 ? "," : "";
        return {
          ...word,
          text: word.text + mark,
          start: word.start - from + off,
          end: word.end - from + off,
          confidence: 1,
        };
      });
      port.postMessage({ start: 0, end: end - from, words: hypothesis });
      return 1 as T;
    },
  };
  const release = () => {
    for (const resolve of waiting.splice(0)) resolve();
  };
  return { engine, release };
}

/** The words of a part of the recording; at its end half a word, stretched to the end, or another one. */
function hear(words: Spoken[], from: number, end: number): Spoken[] {
  return words
    .filter((word) => word.start >= from - FIRST_SOUND && word.start + FIRST_SOUND < end)
    .map((word) => {
      if (word.end + FIRST_SOUND <= end) return word;
      const text = word.end <= end ? word.text : `${word.text.slice(0, 2)}x`;
      return { ...word, text, end };
    });
}

const spoken = fc
  .array(
    fc.record({
      text: fc.constantFrom("the", "no", "not", "apples", "Apple", "fifteenth", "a", "I"),
      length: fc.integer({ min: 15, max: 60 }),
      gap: fc.integer({ min: 0, max: 40 }),
    }),
    { minLength: 1, maxLength: 40 },
  )
  .map((parts) => {
    let at = 0.3;
    return parts.map(({ text, length, gap }): Spoken => {
      const start = at + gap / 100;
      at = start + length / 100;
      return { text, start, end: at };
    });
  });

const frames = fc.array(
  fc.record({
    ms: fc.constantFrom(20, 100, 250, 800, 3000),
    /** The engine gives its result after this frame. */
    released: fc.boolean(),
    paused: fc.boolean(),
  }),
  { minLength: 1, maxLength: 40 },
);

const habits = fc.record({
  dropsFirst: fc.boolean(),
  jitter: fc.array(fc.double({ min: -0.05, max: 0.05, noNaN: true }), { minLength: 1, maxLength: 5 }),
  marks: fc.boolean(),
});

const cases = fc.record({ words: spoken, pattern: frames, how: habits, detected: fc.boolean() });

const plain = (text: string) => text.toLowerCase().replaceAll(",", "");

/** Until results have arrived: they need a few turns of the event loop. */
async function idle(): Promise<void> {
  for (let turn = 0; turn < 12; turn++) await new Promise(setImmediate);
}

test("live text has every word of the recording once", async () => {
  await fc.assert(
    fc.asyncProperty(cases, async ({ words, pattern, how, detected }) => {
      const { engine, release } = scripted(words, how);
      const texts: string[] = [];
      const { stream, settled } = openLiveStream(engine, detected, (added) => {
        texts.push(...added.map(({ text }) => text));
      });
      const total = Math.round((words.at(-1)!.end + 0.3) * ASR_SAMPLE_RATE);
      for (let at = 0, index = 0; at < total; index++) {
        const { ms, released, paused } = pattern[index % pattern.length]!;
        const next = Math.min(total, at + (ms * ASR_SAMPLE_RATE) / 1000);
        stream.push(sound(at, next));
        at = next;
        const seconds = at / ASR_SAMPLE_RATE;
        if (paused && !words.some(({ start, end }) => start < seconds && seconds < end + 0.2)) stream.pause();
        if (released) {
          release();
          await idle();
        }
      }
      stream.finish(false);
      const settling = settled.then(() => true);
      while (!(await Promise.race([settling, idle().then(() => false)]))) release();
      expect(await settled).toBe("completed");
      expect(texts.map(plain)).toEqual(words.map(({ text }) => plain(text)));
    }),
    { numRuns: 150 },
  );
});
