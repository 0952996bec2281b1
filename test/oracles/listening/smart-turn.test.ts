/**
 * Promise: whether a turn is over is what pipecat finds with the same weights, within 0.02 on forty clips.
 *
 * The graph rounds its inputs to 8 bits: one bit of difference in the features can move an answer by 0.1, and another
 * version of ONNX Runtime by 0.003.
 */
import { afterAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "../../../src/audio/pcm.ts";
import { readConfig } from "../../../src/config/config.ts";
import { openRegistry } from "../../../src/engine/registry.ts";
import { soleClaim } from "../../../src/engine/runner.ts";
import { openModelStore } from "../../../src/models/store/model-store.ts";
import { engineSpecs } from "../../../src/server/engines/engine-specs.ts";
import { realStore, unlessReal } from "../../../testing/packages/real-weights.ts";
import { clip } from "../../clips.ts";

const unless = unlessReal("whisper", "vad", "turn");
const stack = new AsyncDisposableStack();
afterAll(() => stack.disposeAsync());

/** By recording and what of it is heard. */
const goldens: { probabilities: Record<string, Record<string, number>> } = JSON.parse(
  readFileSync(new URL("smart-turn.json", import.meta.url), "utf8"),
);

function clipOf(recording: Float32Array, what: string): Float32Array {
  if (what === "whole") return recording;
  const percent = /^first (\d+) %$/.exec(what)?.[1];
  if (percent) return recording.slice(0, Math.floor((recording.length * Number(percent)) / 100));
  return join(join(recording, recording), new Float32Array(3200)); // longer than eight seconds
}

test.skipIf(unless !== "")(`answers are those of pipecat${unless}`, async () => {
  const weights = realStore();
  const config = readConfig({ LOQUAT_WEIGHTS: weights, LOQUAT_THREADS: "2" });
  const registry = stack.use(openRegistry(engineSpecs(config, openModelStore(weights))));
  const engine = registry.engine("smart-turn-v3");
  const differences: [string, number][] = [];
  for (const [path, answers] of Object.entries(goldens.probabilities)) {
    const recording = await clip(path);
    for (const [what, expected] of Object.entries(answers)) {
      const found = await engine.run({ kind: "turn", samples: clipOf(recording, what) }, soleClaim());
      differences.push([`${path}, ${what}: ${found}, pipecat ${expected}`, Math.abs(found - expected)]);
    }
  }
  expect(differences).toHaveLength(40);
  expect(differences.filter(([, difference]) => difference > 0.02)).toEqual([]);
});
