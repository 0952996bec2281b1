/**
 * Promise: a configured device that cannot be used is reported in one line and the next one is used; padding for a GPU
 * changes no result.
 */

import { afterAll, expect, test } from "bun:test";
import { devicesFor } from "../../../src/engine/devices.ts";
import { samplesOf } from "../../../src/engine/protocol/synthesis.ts";
import { soleClaim } from "../../../src/engine/runner.ts";
import { recognize } from "../../../src/transcription/recognize.ts";
import { nemoContents, nemoOptions } from "../../../testing/packages/families/nemo.ts";
import { kokoroContents, supertonicContents } from "../../../testing/packages/families/voices.ts";
import { openTestStore, type TestStore } from "../../../testing/packages/model-store.ts";

const stores = [openTestStore({ LOQUAT_DEVICE: "cpu" }), openTestStore({ LOQUAT_DEVICE: "webgpu" })];
afterAll(() => Promise.all(stores.map((store) => store[Symbol.asyncDispose]())));

const samples = Float32Array.from(
  { length: 70_001 },
  (_, at) => 0.3 * Math.sin(at / 7) * Math.sin(at / 3000),
);

async function recognized({ registry }: TestStore) {
  const recognition = {
    samples: samples.slice(),
    spans: [{ start: 0, end: samples.length }],
    language: null,
    prompt: "",
  };
  const found = await Array.fromAsync(
    recognize(registry.engine("tdt"), { ...recognition, claim: soleClaim() }),
  );
  return found.flatMap(({ words }) => words.map(({ text, start }) => `${start.toFixed(2)} ${text}`));
}

const spoken = ({ registry }: TestStore, name: string, speaker: string) =>
  registry
    .engine(name)
    .run(
      {
        text: "Hello.",
        phonemes: "həlˈO",
        language: "en",
        speaker,
        speed: 1,
        kind: "synthesis" as const,
        instructions: "",
      },
      soleClaim(),
    )
    .then(samplesOf);

test("padding for a GPU changes no transcript and no speech", async () => {
  for (const store of stores) {
    store.add("tdt", "nemo", {
      options: nemoOptions("tdt", 5),
      contents: nemoContents.joint({ durations: 5 }),
      variant: "fp32",
    });
    store.add("kokoro", "kokoro", { contents: kokoroContents(), variant: "fp32" });
    store.add("supertonic", "supertonic", {
      options: { steps: 2, pace: 1 },
      contents: supertonicContents(),
      variant: "fp32",
    });
  }
  const [plain, other] = [await recognized(stores[0]!), await recognized(stores[1]!)];
  expect(plain.length).toBeGreaterThan(2);
  expect(other).toEqual(plain);
  for (const [name, speaker] of [
    ["kokoro", "af_heart"],
    ["supertonic", "F1"],
  ] as const) {
    const [one, two] = [await spoken(stores[0]!, name, speaker), await spoken(stores[1]!, name, speaker)];
    expect(two.length).toBe(one.length);
    expect(two.reduce((most, sample, at) => Math.max(most, Math.abs(sample - one[at]!)), 0)).toBeLessThan(
      1e-3,
    );
  }
});

test("a configured device is tried, whatever is detected; the CPU needs none", () => {
  expect(devicesFor("cuda")).toEqual(["cuda"]);
  expect(devicesFor("webgpu")).toEqual(["webgpu"]);
  expect(devicesFor("cpu")).toEqual([]);
});
