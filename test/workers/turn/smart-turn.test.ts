/** Promise: turn detection reads the last eight seconds as its model was trained to: the probability of a turn's end. */
import { afterAll, expect, test } from "bun:test";
import { soleClaim } from "../../../src/engine/runner.ts";
import { writeOnnx } from "../../../testing/onnx.ts";
import { smartTurnGraph } from "../../../testing/packages/listening.ts";
import { openTestStore } from "../../../testing/packages/model-store.ts";

const store = openTestStore();
afterAll(() => store[Symbol.asyncDispose]());

const noise = (count: number, level: (at: number) => number) =>
  Float32Array.from({ length: count }, (_, at) => Math.sin(at * at) * level(at));
const turnDetector = (samples: Float32Array) =>
  store.registry.engine("smart-turn-v3").run({ kind: "turn", samples }, soleClaim());

test("short speech lies at the end of silence, long speech is heard from its end, and loudness does not matter", async () => {
  store.add("smart-turn-v3", "smart-turn", {
    contents: { model: { path: "smart-turn-v3.2-cpu.onnx", bytes: writeOnnx(smartTurnGraph()) } },
  });
  const short = await turnDetector(noise(16_000, () => 0.3));
  expect(short).toBeGreaterThan(0.55); // silence, then speech
  expect(await turnDetector(noise(16_000, () => 0.03))).toBeCloseTo(short, 3);
  const falling = await turnDetector(noise(20 * 16_000, (at) => (at < 18 * 16_000 ? 0.3 : 0.001)));
  expect(falling).toBeLessThan(0.45);
  const steady = await turnDetector(noise(20 * 16_000, () => 0.3));
  expect(Math.abs(steady - 0.5)).toBeLessThan(0.05);
});
