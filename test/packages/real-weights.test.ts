/** Promise: the published weights of Whisper, in the graphs of the benchmarks, are the published model. */
import { afterAll, expect, test } from "bun:test";
import { readConfig } from "../../src/config/config.ts";
import { openRegistry } from "../../src/engine/registry.ts";
import { soleClaim } from "../../src/engine/runner.ts";
import { openModelStore } from "../../src/models/store/model-store.ts";
import { engineSpecs } from "../../src/server/engines/engine-specs.ts";
import { recognize } from "../../src/transcription/recognize.ts";
import { joined } from "../../src/transcription/transcript.ts";
import { realStore, unlessReal } from "../../testing/packages/real-weights.ts";
import { clip } from "../clips.ts";

const JFK =
  "And so my fellow Americans ask not what your country can do for you ask what you can do for your country.";
const unless = unlessReal("whisper", "vad", "turn");
const stack = new AsyncDisposableStack();
afterAll(() => stack.disposeAsync());

test.skipIf(unless !== "")(`they recognize a speech word for word${unless}`, async () => {
  const weights = realStore();
  const config = readConfig({ LOQUAT_WEIGHTS: weights, LOQUAT_THREADS: "2" });
  const registry = stack.use(openRegistry(engineSpecs(config, openModelStore(weights))));
  const recording = {
    samples: await clip("speech-en/jfk.flac"),
    spans: null,
    language: "en",
    prompt: "",
    claim: soleClaim(),
  };
  const hypotheses = await Array.fromAsync(recognize(registry.engine("whisper-tiny.en"), recording));
  expect(joined(hypotheses.flatMap(({ words }) => words))).toBe(JFK);
});
