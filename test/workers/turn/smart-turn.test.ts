/** Promise: a judge of turns hears the last eight seconds as its model was trained to, and answers how likely it is the end. */
import { afterAll, expect, test } from "bun:test";
import { soleClaim } from "../../../src/engine/claim.ts";
import { writeOnnx } from "../../onnx.ts";
import { openTestStore } from "../../packages/model-store.ts";

const store = openTestStore();
afterAll(() => store[Symbol.asyncDispose]());

/** How loud the last frame is against the first, between 0 and 1. */
const rising = writeOnnx({
  inputs: [{ name: "input_features", type: "float32", shape: ["B", 80, 800] }],
  outputs: [{ name: "probability", type: "float32", shape: ["B", 1] }],
  nodes: [
    {
      op: "ReduceMean",
      inputs: ["input_features"],
      outputs: ["levels"],
      attributes: { axes: [1], keepdims: 0 },
    },
    { op: "Gather", inputs: ["levels", "last"], outputs: ["end"], attributes: { axis: 1 } },
    { op: "Gather", inputs: ["levels", "first"], outputs: ["start"], attributes: { axis: 1 } },
    { op: "Sub", inputs: ["end", "start"], outputs: ["rise"] },
    { op: "Sigmoid", inputs: ["rise"], outputs: ["probability"] },
  ],
  constants: [
    { name: "last", shape: [1], values: BigInt64Array.of(790n) },
    { name: "first", shape: [1], values: BigInt64Array.of(10n) },
  ],
});

const noise = (count: number, level: (at: number) => number) =>
  Float32Array.from({ length: count }, (_, at) => Math.sin(at * at) * level(at));
const turnDetector = (samples: Float32Array) =>
  store.registry.engine("smart-turn-v3").run<number>({ samples }, soleClaim());

test("short speech lies at the end of silence, long speech is heard from its end, and loudness does not matter", async () => {
  store.add("smart-turn-v3", "smart-turn", {
    contents: { model: { path: "smart-turn-v3.2-cpu.onnx", bytes: rising } },
  });
  const short = await turnDetector(noise(16_000, () => 0.3));
  expect(short).toBeGreaterThan(0.55); // silence, then speech
  expect(await turnDetector(noise(16_000, () => 0.03))).toBeCloseTo(short, 3);
  const falling = await turnDetector(noise(20 * 16_000, (at) => (at < 18 * 16_000 ? 0.3 : 0.001)));
  expect(falling).toBeLessThan(0.45);
  const steady = await turnDetector(noise(20 * 16_000, () => 0.3));
  expect(Math.abs(steady - 0.5)).toBeLessThan(0.05);
});
