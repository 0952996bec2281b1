/**
 * Promise: Pocket TTS delivers speech while it makes it, in the voices of its package and in encoded ones, fairly to several
 * callers, within the positions of its graphs, and stops when its caller leaves.
 */

import { afterAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SynthesisTask } from "../../../../src/engine/protocol/synthesis.ts";
import { samplesOf } from "../../../../src/engine/protocol/synthesis.ts";
import { type Claim, soleClaim } from "../../../../src/engine/runner.ts";
import { oldPocketContents, pocketContents } from "../../../../testing/packages/families/pocket.ts";
import {
  FRAME,
  recordingOf,
  safetensorsOf,
  WIDTH,
  wavOf,
} from "../../../../testing/packages/families/pocket-files.ts";
import { openTestStore } from "../../../../testing/packages/model-store.ts";
import { readSafetensors } from "../../../../workers/tts/pocket/safetensors.ts";

const store = openTestStore();
afterAll(() => store[Symbol.asyncDispose]());

const RATE = 24_000;
const recording = recordingOf(3, 2);
const voices = {
  "voice-anna": { path: "voices/anna.wav", bytes: wavOf(recording) },
  "voice-vera": { path: "voices/vera.wav", bytes: wavOf(recordingOf(3, 3)) },
  "voice-stored": { path: "voices/stored.safetensors", bytes: safetensorsOf(25) },
};
const QUIET = { temperature: 0, steps: 1 };
/** Of the published number of states, but smaller: the runs of this file copy less. */
const SMALL = { positions: 160, window: 16 };
store.add("pocket", "pocket", { options: QUIET, contents: { ...pocketContents(SMALL), ...voices } });
store.add("drawn", "pocket", {
  options: { temperature: 0.7, steps: 1 },
  contents: { ...oldPocketContents(SMALL), ...voices },
});

const TASK: SynthesisTask = {
  kind: "synthesis",
  text: "Hello there, how are you?",
  speaker: "anna",
  language: "en",
  speed: 1,
  instructions: "",
};
const run = async (more: object = {}, claim: Partial<Claim> = {}, name = "pocket") =>
  samplesOf(await store.registry.engine(name).run({ ...TASK, ...more }, { ...soleClaim(), ...claim }));
const encode = (samples: Float32Array, name = "pocket") =>
  store.registry.engine(name).run({ kind: "voice-encoding", samples }, soleClaim());

/** What arrives early, and then the rest. */
async function streamed(more: object = {}, arrived: (count: number) => void = () => {}) {
  const parts: Float32Array[] = [];
  const rest = await run(more, {
    urgency: "streaming",
    early(samples) {
      parts.push(samples);
      arrived(parts.length);
    },
  });
  return [...parts, rest];
}
const all = (parts: Float32Array[]) => parts.flatMap((part) => [...part]);

test("speech that is delivered early is the same as the whole, in groups that grow", async () => {
  const whole = await run();
  const parts = await streamed();
  expect(parts.length).toBeGreaterThan(3);
  expect(parts[0]!.length).toBeLessThanOrEqual(2 * FRAME);
  expect(parts[1]!.length).toBe(4 * FRAME);
  const samples = all(parts);
  expect(samples.length).toBe(whole.length);
  for (const [at, sample] of samples.entries()) expect(Math.abs(sample - whole[at]!)).toBeLessThan(1e-6);
});

test("speech that is made louder is delivered early too, and is the same as the whole", async () => {
  const natural = await run();
  const peak = Math.max(...natural.map(Math.abs));
  const louder = { gain: 0.9 / peak, instructions: "louder" }; // beyond full scale
  const whole = await run(louder);
  const parts = await streamed(louder);
  expect(parts.length).toBeGreaterThan(3);
  const samples = all(parts);
  expect(samples.length).toBe(whole.length);
  for (const [at, sample] of samples.entries()) expect(Math.abs(sample - whole[at]!)).toBeLessThan(1e-6);
  expect(Math.max(...samples.map(Math.abs))).toBeLessThanOrEqual(0.78);
});

test("a text in several chunks is spoken to its end", async () => {
  const sentence = "It was the best of times, it was the worst of times.";
  const [one, three] = [
    await run({ text: sentence }),
    await run({ text: Array(3).fill(sentence).join(" ") }),
  ];
  expect(three.length).toBeGreaterThan(2.5 * one.length);
});

test("noise differs by text and voice, and is the same every time", async () => {
  const first = await run({}, {}, "drawn");
  expect(await run({}, {}, "drawn")).toEqual(first);
  expect(await run({ speaker: "vera" }, {}, "drawn")).not.toEqual(first);
});

test("an encoded voice speaks as the preset of the same recording, and its id tells it apart", async () => {
  const samples = recording.map((sample) => Math.round(sample * 32_767) / 32_768); // as the file has them
  const encoded = await encode(samples);
  expect(encoded.shape).toEqual([Math.ceil(samples.length / FRAME), WIDTH]);
  const preset = await run();
  const cloned = await run({ style: { id: "mine", ...encoded } });
  expect(cloned.length).toBe(preset.length);
  for (const [at, sample] of cloned.entries()) expect(Math.abs(sample - preset[at]!)).toBeLessThan(1e-3);
  const louder = encoded.data.map((value) => 3 * value);
  expect(await run({ style: { id: "other", data: louder, shape: encoded.shape } })).not.toEqual(cloned);
});

test("a preset may be the caches that were published of it", async () => {
  const stored = await run({ speaker: "stored" });
  expect(stored.length).toBeGreaterThan(FRAME);
  expect(stored).not.toEqual(await run());
});

test("a bundle of 24 layers speaks, in encoded voices and in caches of as many layers, and as no other does", async () => {
  const layers = 24;
  const stored = { path: "voices/deep.safetensors", bytes: safetensorsOf(25, layers) };
  const contents = { ...pocketContents({ ...SMALL, layers }), ...voices, "voice-deep": stored };
  store.add("french", "pocket", { options: QUIET, contents });
  const spoken = await run({}, {}, "french");
  expect(spoken.length).toBeGreaterThan(FRAME);
  expect(spoken).not.toEqual(await run());
  const samples = recording.map((sample) => Math.round(sample * 32_767) / 32_768);
  const encoded = await encode(samples, "french");
  const cloned = await run({ style: { id: "mine", ...encoded } }, {}, "french");
  expect(cloned.length).toBe(spoken.length);
  for (const [at, sample] of cloned.entries()) expect(Math.abs(sample - spoken[at]!)).toBeLessThan(1e-3);
  expect(await run({ speaker: "deep" }, {}, "french")).not.toEqual(spoken);
  const ofSixLayers = run({ speaker: "stored" }, {}, "french").catch(String);
  expect(await ofSixLayers).toContain("the voice is of another model");
});

test("semicolons are read as commas where the bundle says so, as that of German does", async () => {
  const contents = { ...pocketContents({ ...SMALL, language: "german" }), ...voices };
  store.add("german", "pocket", { options: QUIET, contents });
  const [semicolon, comma] = [{ text: "Hello; there are." }, { text: "Hello, there are." }];
  expect(await run(semicolon, {}, "german")).toEqual(await run(comma, {}, "german"));
  expect(await run(semicolon)).not.toEqual(await run(comma));
});

test.each([
  ["a voice of another model", { style: { id: "a", data: new Float32Array(512), shape: [1, 512] } }],
  [
    "a voice longer than a minute",
    { style: { id: "b", data: new Float32Array(800 * WIDTH), shape: [800, WIDTH] } },
  ],
  ["a voice without frames", { style: { id: "c", data: new Float32Array(0), shape: [0, WIDTH] } }],
  ["an unknown speaker", { speaker: "nobody" }],
  ["a recording that is too short", { kind: "voice-encoding", samples: new Float32Array(2 * RATE) }],
  ["a recording that is too long", { kind: "voice-encoding", samples: new Float32Array(31 * RATE) }],
])("%s is refused", async (_name, more) => {
  await expect(run(more)).rejects.toThrow();
});

test("a caller who leaves stops the engine between frames", async () => {
  const left = new AbortController();
  const text = Array(6).fill("it was the best of times, it was the worst of times.").join(" ");
  let parts = 0;
  const speech = run(
    { text },
    {
      urgency: "streaming",
      signal: left.signal,
      early() {
        if (++parts === 1) left.abort(new Error("gone"));
      },
    },
  );
  await expect(speech).rejects.toThrow("gone");
  expect(parts).toBeLessThan(12); // of hundreds
});

test("a second caller hears its first sound before the first caller has all", async () => {
  const text = Array(9).fill("it was the best of times, it was the worst of times.").join(" ");
  const order: string[] = [];
  let second: Promise<unknown> | null = null;
  const first = streamed({ text }, (count) => {
    if (count === 1) second = streamed({}, () => order.push("second"));
  }).then(() => order.push("first has all"));
  await first;
  await second;
  expect(order[0]).toBe("second");
});

test("another pace is made of the whole", async () => {
  const whole = await run();
  const slow = await streamed({ speed: 0.5 });
  expect(slow.filter(({ length }) => length > 0)).toHaveLength(1);
  expect(slow[0]!.length).toBeGreaterThan(1.6 * whole.length);
});

test("speech without an end stops at the limit of its text, or of the positions that are left", async () => {
  const contents = { ...pocketContents({ ...SMALL, framesOver: 10_000 }), ...voices };
  store.add("endless", "pocket", { options: QUIET, contents });
  const framesOf = async (text: string) => (await run({ text }, {}, "endless")).length / FRAME;
  const tokens = 3; // ▁Hello ▁world .
  expect(await framesOf("hello world")).toBe(Math.ceil((tokens / 3 + 2) * 12.5));
  const voice = Math.ceil(recording.length / FRAME) + 1;
  const words = "hello world ".repeat(15);
  expect(await framesOf(words)).toBe(SMALL.positions - voice - 31);
});

test("a damaged file of caches is refused", () => {
  const path = join(store.weights, "damaged.safetensors");
  writeFileSync(path, safetensorsOf(2).subarray(0, 2000));
  expect(() => readSafetensors(path)).toThrow("is damaged");
});
