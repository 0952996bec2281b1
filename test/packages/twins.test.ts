/**
 * Promise: every package of the catalogue, in every variant it offers, agrees with what is published of it, opens and
 * runs: as a twin with its file names, ports and sizes. Twins whose files are equal are run once; of Whisper's models,
 * those of few layers.
 */

import { afterAll, describe, expect, test } from "bun:test";
import { ASR_SAMPLE_RATE } from "../../src/audio/rates.ts";
import { readConfig } from "../../src/config/config.ts";
import { type FamilyTask, familyOf } from "../../src/engine/families/families.ts";
import type { Hypothesis } from "../../src/engine/protocol/recognition.ts";
import type { StreamingTask } from "../../src/engine/protocol/streaming-recognition.ts";
import { samplesOf } from "../../src/engine/protocol/synthesis.ts";
import { soleClaim } from "../../src/engine/runner.ts";
import { type Package, readPackages } from "../../src/models/packages/package.ts";
import { compareFiles } from "../../src/models/signature/compare.ts";
import { openModelStore } from "../../src/models/store/model-store.ts";
import { recognize } from "../../src/transcription/recognize.ts";
import { diarize } from "../../src/transcription/speakers/diarize.ts";
import { recordingOf } from "../../testing/packages/families/speakers.ts";
import { openTestStore, storePackage } from "../../testing/packages/model-store.ts";
import { precisionOf } from "../../testing/packages/precision.ts";
import { published } from "../../testing/packages/published.ts";
import { openRandom } from "../../testing/packages/random.ts";
import { twinOf, variantsOf } from "../../testing/packages/twins.ts";
import { openSpeakerEmbedding } from "../../workers/diarization/embedding.ts";
import { openSilero } from "../../workers/vad/silero.ts";

const store = openTestStore({ LOQUAT_THREADS: "1" });
afterAll(() => store[Symbol.asyncDispose]());
const packages = [...readPackages(readConfig({}).models.folder).values()];

const noise = (seconds: number, seed: number) => {
  const random = openRandom(seed);
  return Float32Array.from({ length: seconds * ASR_SAMPLE_RATE }, () => (random() - 0.5) * 0.2);
};
const textOf = (hypotheses: Hypothesis[]) =>
  hypotheses.flatMap(({ words }) => words.map(({ text }) => text)).join(" ");

async function recognized(name: string, samples: Float32Array): Promise<string> {
  const spans = [{ start: 0, end: samples.length }];
  const recognition = { samples: samples.slice(), spans, language: "en", prompt: "", claim: soleClaim() };
  return textOf(
    await Array.fromAsync(recognize(store.registry.engine(name), { ...recognition, wordTimes: false })),
  );
}

/** Of all layers of Whisper, which the time of a run follows: the tiny, base and turbo models run. */
const HEADS_MAX = { ofThree: 24, ofOne: 80 };

function recordingsAtOnce({ name, family }: Package): number {
  if (family !== "whisper") return family === "nemo" ? 4 : 2;
  const { layers, heads } = published(family, name).sizes;
  const all = layers! * heads!;
  if (all <= HEADS_MAX.ofThree) return 3;
  return all <= HEADS_MAX.ofOne ? 1 : 0;
}

/** Integers are scaled by the loudest of a batch, so that only what is alike gives the same. */
const isExact = ({ files }: Package) =>
  files.every(({ path }) => precisionOf(path) === "fp32" || !path.endsWith(".onnx"));

/** One recording alone, and then with others: the same text. */
async function recognizeTogether(pkg: Package): Promise<void> {
  const { name } = pkg;
  const atOnce = recordingsAtOnce(pkg);
  if (atOnce === 0) return; // its files were compared
  const recordings = Array.from({ length: atOnce }, (_, at) => noise(1 + at / 8, at + 1));
  const all = isExact(pkg) ? recordings : recordings.map(() => recordings[0]!);
  const alone = await recognized(name, all[0]!);
  if (pkg.family === "whisper") expect(alone.split(" ").length).toBeGreaterThan(5);
  if (atOnce === 1) return;
  const together = await Promise.all(all.map((samples) => recognized(name, samples)));
  expect(together.length).toBe(atOnce);
  expect(together[0]).toBe(alone);
  if (!isExact(pkg)) expect(new Set(together)).toEqual(new Set([alone]));
}

async function streamTogether(pkg: Package): Promise<void> {
  await recognizeTogether(pkg);
  const ids = Array.from({ length: 4 }, (_, at) => at + 1);
  const run = (task: Partial<StreamingTask>) =>
    store.registry
      .engine(pkg.name)
      .run(
        { kind: "streaming-recognition", open: [], feed: [], finish: [], close: [], ...task },
        soleClaim(),
      );
  await run({ open: ids.map((id) => ({ id, language: "en" })) });
  await run({ feed: ids.map((id) => ({ id, samples: noise(1, id) })) });
  const results = await run({ finish: ids, close: ids });
  expect(results.map(({ id }) => id)).toEqual(ids);
}

async function speakOnce({ name, files, voices }: Package): Promise<void> {
  const file = files.find(({ role }) => role.startsWith("voice-"));
  const speaker = file?.role.slice("voice-".length) ?? voices?.[0]?.speaker ?? "0";
  const task = {
    text: "Hello.",
    speaker,
    language: "en-US",
    speed: 1,
    kind: "synthesis" as const,
    instructions: "",
  };
  const samples = await store.registry.engine(name).run(task, soleClaim()).then(samplesOf);
  expect(samples.length).toBeGreaterThan(1000);
  expect(samples.every(Number.isFinite)).toBe(true);
}

const RUNS: Record<FamilyTask, (pkg: Package) => Promise<void>> = {
  recognition: recognizeTogether,
  "streaming-recognition": streamTogether,
  synthesis: speakOnce,
  async "turn-detection"({ name }) {
    const probability = await store.registry
      .engine(name)
      .run({ kind: "turn", samples: noise(2, 1) }, soleClaim());
    expect(probability).toBeWithin(0, 1);
  },
  async "voice-activity"({ name }) {
    const { folder, package: pkg } = openModelStore(store.weights).installed(name)!;
    const detector = await openSilero(`${folder}/${pkg.files[0]!.path}`);
    const found = await detector.detect(
      [detector.open(), detector.open()],
      [noise(0.032, 1), noise(0.032, 2)],
    );
    expect(found.length).toBe(2);
  },
  async diarization({ name }) {
    const options = { voices: [], speakerCount: null, claim: soleClaim() };
    const turns = [{ speaker: 1, start: 1, end: 5 }];
    const found = await diarize(store.registry.engine(name), [recordingOf(12, turns)], options);
    expect(found.turns.length).toBe(1);
  },
  async "speaker-embedding"({ name }) {
    const { folder, package: pkg } = openModelStore(store.weights).installed(name)!;
    const embed = await openSpeakerEmbedding(`${folder}/${pkg.files[0]!.path}`);
    expect((await embed(noise(1, 1))).length).toBe(published(pkg.family, name).sizes.width ?? 1024);
  },
  async pronunciation() {}, // its files are dictionaries
  async program() {}, // its twin is no program
};

const ran = new Set<string>();
const CASES = packages.flatMap((pkg) =>
  variantsOf(pkg).map((variant): [string, Package, string | null] => [
    variant ? `${pkg.name} ${variant}` : pkg.name,
    pkg,
    variant,
  ]),
);

describe("the twin of", () => {
  test.each(CASES)(
    "%s agrees with what is published, and runs",
    async (_name, pkg, variant) => {
      const { locked, contents } = await twinOf(pkg, variant);
      storePackage(store.weights, locked, contents);
      const { folder, package: installed } = openModelStore(store.weights).installed(pkg.name)!;
      const isPublished = !["pronunciation", "program"].includes(familyOf(pkg.family).task);
      const signature = isPublished ? published(pkg.family, pkg.name) : null;
      if (signature) expect(compareFiles(signature, { folder, files: installed.files })).toEqual([]);
      const hashes = locked.files.map(({ role, sha256 }) => `${role} ${sha256}`).join("\n");
      if (!ran.has(hashes)) await RUNS[familyOf(pkg.family).task](installed);
      ran.add(hashes);
    },
    180_000,
  );
});
