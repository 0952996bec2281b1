/**
 * Promise: speakers are told apart as sherpa-onnx does it on the same graphs, with the published step and all speech
 * embedded; embeddings are those that it computes. Where more people are active in a frame than its windows name, it also
 * takes speakers that no window names, and we do not; the recordings here have no such frame.
 */
import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ASR_SAMPLE_RATE } from "../../src/audio/rates.ts";
import type { Turn } from "../../src/engine/protocol/diarization.ts";
import { soleClaim } from "../../src/engine/runner.ts";
import { diarize } from "../../src/transcription/speakers/diarize.ts";
import {
  EMBEDDING_OPTIONS,
  embeddingContents,
  recordingOf,
  type Spoken,
  segmentationContents,
} from "../../testing/packages/families/speakers.ts";
import { openTestStore } from "../../testing/packages/model-store.ts";
import { openRandom } from "../../testing/packages/random.ts";
import { openSpeakerEmbedding } from "../../workers/diarization/embedding.ts";
import { sherpa, unlessSherpa } from "./sherpa.ts";

const PUBLISHED = { step: 16_000, embeddedSeconds: 10 };
const store = openTestStore();
const folder = mkdtempSync(join(tmpdir(), "loquat-sherpa-"));
afterAll(async () => {
  await store[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

const file = (name: string, bytes: string | Uint8Array): string => {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return path;
};

/** Turns of random speakers and lengths, some of them at the same time. */
function conversation(seconds: number, seed: number): Float32Array {
  const random = openRandom(seed);
  const spoken: Spoken[] = [];
  for (let start = random(); start < seconds - 1; ) {
    const end = Math.min(seconds, start + 0.2 + 5 * random());
    spoken.push({ speaker: Math.floor(random() * 3), start, end });
    start = end + (random() < 0.2 ? -Math.min(1, (end - start) / 2) : random());
  }
  return recordingOf(seconds, spoken);
}

/** Speakers are numbered by their first turns. */
function written(turns: readonly Turn[]): string[] {
  const inOrder = turns.toSorted((a, b) => a.start - b.start || a.end - b.end);
  const numbers = [...new Set(inOrder.map(({ speaker }) => speaker))];
  return inOrder.map(
    ({ start, end, speaker }) => `${start.toFixed(3)} to ${end.toFixed(3)}: ${numbers.indexOf(speaker)}`,
  );
}

describe.skipIf(!sherpa)(`speakers are those of sherpa-onnx${unlessSherpa}`, () => {
  const CASES: [name: string, seconds: number[], speakerCount: number | null][] = [
    ["of a recording shorter than a window", [2.5, 9.99, 10], null],
    ["of recordings that end within a window, and with one", [11, 23.4, 31.7, 60], null],
    ["of a known number", [23.4, 45], 3],
  ];
  test.each(CASES)("%s", async (_name, lengths, speakerCount) => {
    const [segmentation, embedding] = [segmentationContents(), embeddingContents()];
    store.add("segmentation", "pyannote", { contents: segmentation });
    store.add("embedding", "speaker-embedding", { options: EMBEDDING_OPTIONS, contents: embedding });
    const theirs = new sherpa!.OfflineSpeakerDiarization({
      segmentation: {
        pyannote: { model: file("segmentation.onnx", segmentation.model!.bytes) },
        numThreads: 1,
      },
      embedding: { model: file("embedding.onnx", embedding.model!.bytes), numThreads: 1 },
      clustering: { numClusters: speakerCount ?? -1, threshold: EMBEDDING_OPTIONS.cluster_distance },
      minDurationOn: 0.3,
      minDurationOff: 0.5,
    });
    let turnCount = 0;
    for (const [index, seconds] of lengths.entries()) {
      const samples = conversation(seconds, index + 1);
      const options = { voices: [], speakerCount, claim: soleClaim(), windowing: PUBLISHED };
      const { turns } = await diarize(store.registry.engine("segmentation"), [samples], options);
      const duration = samples.length / ASR_SAMPLE_RATE; // theirs may end later
      const expected = theirs
        .process(samples)
        .map((turn) => ({ ...turn, end: Math.min(turn.end, duration) }));
      expect(written(turns)).toEqual(written(expected));
      turnCount += turns.length;
    }
    expect(turnCount).toBeGreaterThan(5); // or nothing was compared
  });

  const NORMALIZED: [name: string, metadata: Record<string, string>, withMean: boolean][] = [
    ["with the mean of each mel subtracted", {}, true],
    ["without, from samples as integers", { normalize_samples: "0" }, false],
  ];
  test.each(NORMALIZED)("embeddings %s", async (_name, metadata, withMean) => {
    const name = withMean ? "3dspeaker-campplus-zh-en" : "wespeaker-resnet34-lm";
    const { bytes } = embeddingContents({ name, metadata }).model!;
    const path = file(`${name}.onnx`, bytes);
    const theirs = new sherpa!.SpeakerEmbeddingExtractor({ model: path, numThreads: 1, debug: false });
    const embed = await openSpeakerEmbedding(path);
    for (const seconds of [0.4, 1.01, 3.337]) {
      const samples = conversation(seconds + 2, 7).slice(0, Math.round(seconds * ASR_SAMPLE_RATE));
      const stream = theirs.createStream();
      stream.acceptWaveform({ sampleRate: ASR_SAMPLE_RATE, samples });
      stream.inputFinished!();
      const expected = theirs.compute(stream, false);
      const ours = await embed(samples);
      expect(ours.length).toBe(expected.length);
      for (const [at, value] of ours.entries())
        expect(Math.abs(value - expected[at]!)).toBeLessThan(1e-3 * Math.max(1, Math.abs(expected[at]!)));
    }
  });
});
