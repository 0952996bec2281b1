/** Promise: segments of a stream fit the speed of their engine, so that no listener waits where the speed allows it. */

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { TTS_SAMPLE_RATE } from "../../src/audio/rates.ts";
import type { PlannedSegment } from "../../src/engine/protocol/plan.ts";
import type { SynthesisTask } from "../../src/engine/protocol/synthesis.ts";
import { type Claim, soleClaim } from "../../src/engine/runner.ts";
import { openSpool } from "../../src/memory/spool.ts";
import { secondsOf } from "../../src/speech/clip-time.ts";
import { planSpeech } from "../../src/speech/plan.ts";
import { fitted } from "../../src/speech/portions.ts";
import { render, type Synthesizer } from "../../src/speech/synthesizer.ts";

const HARBOUR =
  "The old harbour was quiet that evening, and the boats lay still against the long stone wall. Nobody on the quay could remember when the last ship had left for the islands. A light came on in the house above the church while the children were called in from the street. Then the wind turned. It was cold. We went home and made a fire. Everyone was tired after the long day, and although the younger ones wanted to stay up, they were asleep before the clock on the landing had struck nine, which surprised their mother, who had expected an argument. In the morning the boats were gone.";

const streamed = (text: string) => planSpeech(text, "en", "streamed");
const fit = (text: string, speed: number, pace = 1) =>
  fitted(streamed(text), { speed, pace, language: "en" });

/** A stand-in engine: it makes `speed` seconds of speech in a second, after `cost` of them for each run. */
type StandIn = { speed: number; cost?: number; pace?: number };

/** By a virtual clock, in seconds: when the first sound comes, how long the listener waits after it, and all work. */
function play(plan: readonly PlannedSegment[], { speed, cost = 0, pace = 1 }: StandIn) {
  let [nowSeconds, playedUntil, waits] = [0, 0, 0];
  let first = 0;
  for (const [index, segment] of plan.entries()) {
    nowSeconds += (secondsOf({ ...segment, pauseMs: 0 }) / pace + cost) / speed;
    if (index === 0) first = nowSeconds;
    else waits += Math.max(0, nowSeconds - playedUntil);
    playedUntil = Math.max(playedUntil, nowSeconds) + secondsOf(segment) / pace;
  }
  return { first, waits, work: nowSeconds };
}

/** Sentences whose clauses are as long as their opening. */
const clause = fc.constantFrom(
  "the boats came home late in the evening",
  "the lamps along the quay were lit early",
  "we waited for the last ship in the rain",
);
const sentence = fc.array(clause, { minLength: 1, maxLength: 6 }).map((clauses) => `${clauses.join(", ")}.`);
const text = fc.array(sentence, { minLength: 1, maxLength: 12 }).map((sentences) => `${sentences.join(" ")}`);

describe.each([1.1, 1.5, 5])("at a speed of %d", (speed) => {
  test("no listener waits after the first sound, of any text with places to cut", () => {
    fc.assert(
      fc.property(text, fc.constantFrom(0.5, 1, 2), (input, pace) => {
        expect(play(fit(input, speed, pace), { speed, pace }).waits).toBeLessThan(1e-6);
      }),
    );
  });

  test("no listener of prose waits", () => {
    expect(play(fit(HARBOUR, speed), { speed }).waits).toBeLessThan(1e-6);
  });
});

test("listeners would wait for the sentences of prose at 1.1", () => {
  expect(play(streamed(HARBOUR), { speed: 1.1 }).waits).toBeGreaterThan(2);
});

describe.each([0.6, 1, 1.1])("at a speed of %d, with a cost of each run,", (speed) => {
  const engine = { speed: speed * 1.15, cost: 0.75 };

  test("listeners wait less than for single sentences, and the first sound comes as early", () => {
    const [before, after] = [play(streamed(HARBOUR), engine), play(fit(HARBOUR, speed), engine)];
    expect(after.waits).toBeLessThan(before.waits);
    expect(after.first).toBe(before.first);
  });
});

test("an engine that is slower than its listener makes fewer, longer runs, and works less", () => {
  const engine = { speed: 0.8, cost: 0.75 };
  const [before, after] = [streamed(HARBOUR), fit(HARBOUR, 0.8)];
  expect(after.length).toBeLessThan(before.length);
  expect(play(after, engine).work).toBeLessThan(play(before, engine).work);
});

test("a fast engine's segments stay as they are", () => {
  for (const speed of [5, 100]) expect(fit(HARBOUR, speed)).toEqual(streamed(HARBOUR));
});

const anyText = fc
  .array(
    fc.constantFrom("word ", "Boats ", "and the ", ". ", ", ", "\n", "\n\n", "while ", "你好。", "12 "),
    {
      maxLength: 300,
    },
  )
  .map((parts) => parts.join(""));

test("the first segment, the letters in order, the lines and the longest run stay, for any text and speed", () => {
  const letters = (plan: readonly PlannedSegment[]) =>
    plan.map(({ text }) => text.replace(/\s/g, "")).join("");
  fc.assert(
    fc.property(anyText, fc.constantFrom(0.3, 0.9, 1, 1.1, 1.5, 5), (input, speed) => {
      const [before, after] = [streamed(input), fit(input, speed)];
      expect(after[0]).toEqual(before[0]!);
      expect(letters(after)).toBe(letters(before));
      const lines = (plan: PlannedSegment[]) => plan.filter(({ pauseMs }) => pauseMs > 280).length;
      expect(lines(after)).toBe(lines(before));
      for (const { text } of after) expect([...text].length).toBeLessThanOrEqual(300);
    }),
  );
});

test("silence, and a change of pace, stay between segments", () => {
  const sentences = ["It was cold.", "We went home."].map((each) => ({ text: each, pauseMs: 280 }));
  const silence = { text: "", pauseMs: 0, silenceMs: 500 };
  const plan = [...sentences, silence, ...sentences, { ...sentences[0]!, rate: 0.8 }];
  const after = fitted(plan, { speed: 1.5, pace: 1, language: "en" });
  expect(after.map(({ text }) => text)).toEqual([
    "It was cold.",
    "We went home.",
    "",
    "It was cold. We went home.",
    "It was cold.",
  ]);
});

test("short sentences of one segment are divided at their ends, and no word is", () => {
  const text =
    "There is room in plan A. The boats are in. The wind has turned. We went to the house by the sea.";
  const plan = [
    { text: "It was a cold day.", pauseMs: 280 },
    { text, pauseMs: 0 },
  ];
  const parts = fitted(plan, { speed: 2.5, pace: 1, language: "en" }).slice(1);
  expect(parts.map((part) => part.text)).toEqual([
    "There is room in plan A. The boats are in.",
    "The wind has turned. We went to the house by the sea.",
  ]);
});

test("the parts of a sentence are told what stands around them", () => {
  const [first, ...rest] = fit(HARBOUR, 1.1);
  let before = first!.text;
  for (const { text, context } of rest.slice(0, 1)) {
    expect(context!.before.trimEnd()).toBe(before);
    expect(HARBOUR).toContain(context!.before + text + context!.after);
    before = text;
  }
});

describe("a clip", () => {
  async function textsOf(urgency: Claim["urgency"], speed: number | null) {
    const texts: string[] = [];
    const run = async (task: object) => {
      texts.push((task as SynthesisTask).text);
      return new Float32Array(TTS_SAMPLE_RATE) as never;
    };
    const bytes = { tail: new Uint8Array(0), head: null };
    const synthesizer: Synthesizer = {
      registry: { engine: () => ({ run }) },
      speed: (engine) => (engine === "slow" ? speed : null),
      encoders: {
        open: async () => ({ encode: async () => new Uint8Array(2), finish: async () => bytes, close() {} }),
      } as never,
      spool: openSpool(import.meta.dir),
    };
    const request = {
      ...{ engine: "slow", speaker: "s", text: HARBOUR.slice(0, 500), language: "en", speed: 1 },
      ...{ instructions: "", reader: { name: "S", languages: ["en"] } },
      claim: { ...soleClaim(), urgency },
    };
    const clip = await render(synthesizer, request, { format: "pcm", lengthFirst: false });
    await Array.fromAsync(clip.chunks);
    return texts;
  }

  test("that is streamed has the segments that its engine makes in time", async () => {
    const today = await textsOf("streaming", null);
    expect((await textsOf("streaming", 0.8)).length).toBeLessThan(today.length);
    expect(await textsOf("streaming", 5)).toEqual(today);
  });

  test("that is delivered whole has its sentences, at any speed", async () => {
    expect(await textsOf("batch", 0.8)).toEqual(await textsOf("batch", null));
  });
});
