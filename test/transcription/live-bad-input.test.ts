/**
 * Promise: live text of what no good client sends has every word once, in bounded memory: speech without a pause, audio
 * faster than real time, words whose times are stretched. By a clock that the test holds.
 */
import { expect, test } from "bun:test";
import { ASR_SAMPLE_RATE } from "../../src/audio/rates.ts";
import { openRandom } from "../../testing/packages/random.ts";
import { openLiveStream } from "./live-stream.ts";
import { ACCURATE, type Habits, idle, plain, type Spoken, scripted, sound } from "./scripted-speech.ts";

const TEXTS = ["the", "no", "not", "apples", "fifteenth", "a", "however", "and"];
const HABITS: Habits = { dropsFirst: true, jitter: [-0.05, 0, 0.05], marks: true, stretches: true };
const PART = 12 * ASR_SAMPLE_RATE;

/** Words without a pause between them. */
function speech(seconds: number): Spoken[] {
  const random = openRandom(7);
  const words: Spoken[] = [];
  for (let at = 0.3; at < seconds - 1; ) {
    const end = at + 0.15 + 0.4 * random();
    words.push({ text: TEXTS[Math.floor(TEXTS.length * random())]!, start: at, end });
    at = end;
  }
  return words;
}

type Streaming = { seconds: number; frameMs: number; habits: Habits; spoken?: boolean; runMs?: number };

/** Each run of the engine takes `runMs`. */
async function streamed(
  words: Spoken[],
  { seconds, frameMs, habits, spoken = true, runMs = 400 }: Streaming,
) {
  let nowMs = 0;
  let dueMs = Number.POSITIVE_INFINITY;
  const { engine, release, waits, longest } = scripted(words, habits);
  const texts: string[] = [];
  const { stream, settled } = openLiveStream(engine, { spoken, now: () => nowMs }, (added) => {
    texts.push(...added.map(({ text }) => plain(text)));
  });
  let behind = 0;
  const tick = async (ms: number) => {
    nowMs += ms;
    if (nowMs >= dueMs) release();
    await idle();
    if (!waits()) dueMs = Number.POSITIVE_INFINITY;
    else if (nowMs >= dueMs || dueMs === Number.POSITIVE_INFINITY) dueMs = nowMs + runMs;
  };
  const frame = (frameMs * ASR_SAMPLE_RATE) / 1000;
  for (let at = 0; at < seconds * ASR_SAMPLE_RATE; at += frame) {
    stream.push(sound(at, at + frame));
    behind = Math.max(behind, stream.behindSeconds());
    await tick(frameMs);
  }
  stream.finish(false);
  const settling = settled.then(() => true);
  while (!(await Promise.race([settling, tick(100).then(() => false)])));
  return { outcome: await settled, texts, behind, longest: longest() };
}

const textsOf = (words: Spoken[]) => words.map(({ text }) => text);

test.each([true, false])(
  "ten minutes of speech without a pause, partial results wanted: %p",
  async (spoken) => {
    const words = speech(600);
    const result = await streamed(words, { seconds: 600, frameMs: 100, habits: HABITS, spoken });
    expect([result.outcome, result.texts]).toEqual(["completed", textsOf(words)]);
    expect(result.longest).toBeLessThanOrEqual(PART);
    expect(result.behind).toBeLessThan(spoken ? 4 : 13);
  },
);

test("a stream faster than real time, by an engine that takes as long as the audio lasts", async () => {
  const words = speech(300);
  const result = await streamed(words, { seconds: 300, frameMs: 3000, habits: HABITS, runMs: 12_000 });
  expect([result.outcome, result.texts]).toEqual(["completed", textsOf(words)]);
  expect(result.longest).toBeLessThanOrEqual(PART);
});

test("a word before a long pause whose end is stretched to the end of a part", async () => {
  for (let tenth = 60; tenth < 120; tenth++) {
    const start = tenth / 10;
    const words: Spoken[] = [
      { text: "before", start: 1, end: 1.4 },
      { text: "stretched", start, end: start + 0.5 },
      { text: "after", start: 14, end: 14.4 },
    ];
    const habits = { ...ACCURATE, dropsFirst: true, stretches: true };
    const result = await streamed(words, { seconds: 15, frameMs: 1000, habits, spoken: false });
    expect([start, result.texts]).toEqual([start, textsOf(words)]);
  }
});
