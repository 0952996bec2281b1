/** Promise: a streamed clip asks for its first segment at once, and for later ones by when its listener needs them. */
import { expect, test } from "bun:test";
import { TTS_SAMPLE_RATE } from "../../src/audio/rates.ts";
import type { Engine } from "../../src/engine/registry.ts";
import { type Claim, soleClaim } from "../../src/engine/runner.ts";
import { Playback } from "../../src/speech/clip-time.ts";
import { synthesize } from "../../src/speech/synthesize.ts";

const seconds = (count: number) => new Float32Array(count * TTS_SAMPLE_RATE);
const LETTERS_OF_A_SECOND = "a".repeat(200).slice(0, Math.round(1 / 0.055));
const segment = { text: LETTERS_OF_A_SECOND, pauseMs: 10 };

const request = (urgency: Claim["urgency"]) => ({
  ...{ engine: "e", text: "", speaker: "s", language: "en", speed: 1, instructions: "" },
  claim: { ...soleClaim(), urgency },
});

test("sound that is handed out is played from its first sample on, and a gap delays what follows", () => {
  let nowMs = 1000;
  const playback = new Playback(1, () => nowMs);
  expect(playback.dueInMs([])).toBe(0);
  playback.handOut(seconds(2));
  playback.handOut(seconds(1));
  nowMs += 500;
  expect(playback.dueInMs([])).toBe(2500);
  nowMs += 10_000;
  expect(playback.dueInMs([])).toBe(0);
  playback.handOut(seconds(1));
  expect(playback.dueInMs([])).toBe(1000);
});

test("what is requested and not here yet counts by its estimated length, at the speed of the clip", () => {
  const playback = new Playback(2, () => 0);
  playback.handOut(seconds(1));
  expect(playback.dueInMs([segment, segment])).toBeCloseTo(1000 + 1000, -1);
});

test("the segments of a clip are due in their order: the first at once, each later one when those before it end", async () => {
  const dues: number[] = [];
  const engine: Engine = {
    run: async (_task: object, { dueInMs }: Claim) => {
      dues.push(dueInMs!);
      return seconds(5) as never;
    },
  };
  for await (const _part of synthesize(engine, request("streaming"), Array(6).fill(segment)));
  expect(dues[0]).toBe(0);
  expect(dues[1]).toBeCloseTo(5000, -2); // begun when the first was handed out
  expect(dues[2]).toBeCloseTo(6000, -2);
  for (const [index, due] of dues.slice(3).entries()) {
    expect(due).toBeGreaterThan(5000 * (index + 1));
    expect(due).toBeLessThan(5000 * (index + 1) + 2500);
  }
});

test("of a stream, the first segment of a quick engine runs alone; of a whole clip, all that may begin at once", async () => {
  for (const [urgency, beside] of [
    ["streaming", 1],
    ["batch", 3],
  ] as const) {
    let asked = 0;
    const engine: Engine = {
      async run() {
        asked++;
        return seconds(1) as never;
      },
    };
    const parts = synthesize(engine, request(urgency), Array(6).fill(segment));
    const first = parts.next();
    expect(asked).toBe(beside);
    await first;
    for await (const _part of parts);
    expect(asked).toBe(6);
  }
});

test("of a stream, the first segment of a slow engine does not hold up those that follow", async () => {
  const second = Promise.withResolvers<void>();
  const dues: number[] = [];
  const engine: Engine = {
    async run(_task: object, { dueInMs }: Claim) {
      if (dues.push(dueInMs!) === 1) await second.promise;
      else second.resolve();
      return seconds(1) as never;
    },
  };
  for await (const _part of synthesize(engine, request("streaming"), Array(4).fill(segment)));
  expect(dues[1]).toBeCloseTo(1000, -2); // behind the first, which has made no sound yet
  expect(dues[2]).toBeCloseTo(2000, -2);
  expect(dues).toHaveLength(4);
});
