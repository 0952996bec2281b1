/** Promise: speech is as likely, window for window, as in the package silero-vad with the same weights, within 1e-4. */
import { afterAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { toInt16 } from "../../../src/audio/pcm.ts";
import type { VadResult, VadTask } from "../../../src/engine/protocol/vad.ts";
import { openThreadPool } from "../../../src/engine/threads/thread-pool.ts";
import { fileOf, openModelStore } from "../../../src/models/store/model-store.ts";
import { realStore, unlessReal } from "../../../testing/packages/real-weights.ts";
import { clip } from "../../clips.ts";

const unless = unlessReal("whisper", "vad", "turn");
const stack = new AsyncDisposableStack();
afterAll(() => stack.disposeAsync());

/** By recording: one for each window of 512 samples at 16 kHz. */
const goldens: { probabilities: Record<string, number[]> } = JSON.parse(
  readFileSync(new URL("silero.json", import.meta.url), "utf8"),
);

test.skipIf(unless !== "")(`probabilities are those of the reference${unless}`, async () => {
  const model = fileOf(openModelStore(realStore()).installed("silero-vad"), "model");
  const script = new URL("../../../workers/vad/vad.ts", import.meta.url);
  const vad = stack.use(openThreadPool(script, { size: 1, data: { model } }));
  const paths = Object.keys(goldens.probabilities);
  const recordings = await Promise.all(paths.map(async (path) => toInt16(await clip(path))));
  const task: VadTask = {
    open: paths.map((_, id) => ({ id, format: { type: "audio/pcm", rate: 16_000 } })),
    feed: recordings.map(({ buffer }, id) => ({ id, bytes: new Uint8Array(buffer), detect: true })),
    close: paths.map((_, id) => id),
  };
  const results = await vad.run<VadResult[]>(task);
  for (const [index, path] of paths.entries()) {
    const expected = goldens.probabilities[path]!;
    const found = Array.from(results[index]!.probabilities);
    expect(found).toHaveLength(expected.length);
    expect(Math.max(...found.map((value, at) => Math.abs(value - expected[at]!)))).toBeLessThan(1e-4);
  }
});
