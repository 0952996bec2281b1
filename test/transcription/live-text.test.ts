/**
 * Promise: live text is the transcript of the recording, in order, no word lost and none said twice, whatever the frames
 * in which the audio arrives, the speed of the engine, the pauses, and what a model does at the edges of its audio.
 */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { ASR_SAMPLE_RATE } from "../../src/audio/rates.ts";
import { openLiveStream } from "./live-stream.ts";
import { type Habits, idle, plain, type Spoken, scripted, sound } from "./scripted-speech.ts";

const spoken = fc
  .array(
    fc.record({
      text: fc.constantFrom("the", "no", "not", "apples", "Apple", "fifteenth", "a", "I"),
      length: fc.integer({ min: 15, max: 60 }),
      gap: fc.oneof({ weight: 9, arbitrary: fc.integer({ min: 0, max: 40 }) }, fc.constantFrom(200, 400)),
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
  stretches: fc.boolean(),
});

/** As models of NeMo do, which time their tokens in frames of 80 ms, or spread them evenly over a word. */
const tokenHabits = fc.record({
  dropsFirst: fc.boolean(),
  jitter: fc.constant([0]),
  marks: fc.boolean(),
  stretches: fc.constant(false),
  frames: fc.record({ seconds: fc.constantFrom(0.04, 0.08), tokens: fc.integer({ min: 1, max: 4 }) }),
  confidence: fc.array(fc.double({ min: 0.1, max: 1, noNaN: true }), { minLength: 1, maxLength: 5 }),
});

test.each([
  ["whose times are of attention", habits],
  ["whose times are of tokens", tokenHabits],
] as const)("live text has every word of the recording once, by a model %s", async (_model, possible) => {
  const cases = fc.record({
    words: spoken,
    pattern: frames,
    how: possible as fc.Arbitrary<Habits>,
    detected: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(cases, async ({ words, pattern, how, detected }) => {
      const { engine, release } = scripted(words, how);
      const texts: string[] = [];
      const { stream, settled } = openLiveStream(engine, { spoken: detected }, (added) => {
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
