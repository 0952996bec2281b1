/**
 * Promise: Canary writes what sherpa-onnx and onnx-asr do, in every language pair, alone and among eight.
 *
 * sherpa-onnx has features of its own (see nemo.test.ts), so the models here depend only on the index of a frame.
 * onnx-asr needs Python: what its version of 2026-07-17 wrote of these graphs, one recording after the other, is kept in
 * canary-texts.json. Its loop in a batch goes on behind the end of the shorter texts, so it was not asked for batches.
 */
import { afterAll, describe, expect, test } from "bun:test";
import { ASR_SAMPLE_RATE } from "../../src/audio/rates.ts";
import { soleClaim } from "../../src/engine/runner.ts";
import { recognize } from "../../src/transcription/recognize.ts";
import { canaryContents } from "../../testing/packages/families/canary.ts";
import { openTestStore } from "../../testing/packages/model-store.ts";
import { openRandom } from "../../testing/packages/random.ts";
import written from "./canary-texts.json";
import { sherpa, unlessSherpa } from "./sherpa.ts";

const FRAME = 1280; // samples of one row of the encoder
const SEEDS = [1, 2, 3];
const LENGTHS = Array.from({ length: 8 }, (_, at) => 20 + 11 * at); // rows
const PAIRS = [
  { language: "de", translate: false },
  { language: "fr", translate: true },
];

const store = openTestStore();
afterAll(() => store[Symbol.asyncDispose]());

const noise = (rows: number, seed: number) => {
  const random = openRandom(seed);
  return Float32Array.from({ length: rows * FRAME }, () => (random() - 0.5) * 0.2);
};

type Pair = (typeof PAIRS)[number];

async function ours(name: string, samples: Float32Array, pair: Pair): Promise<string> {
  const spans = [{ start: 0, end: samples.length }];
  const recognition = { ...pair, samples: samples.slice(), spans, prompt: "", claim: soleClaim() };
  const hypotheses = await Array.fromAsync(recognize(store.registry.engine(name), recognition));
  return hypotheses.flatMap(({ words }) => words.map(({ text }) => text)).join(" ");
}

function openTheirs(name: string, { language, translate }: Pair) {
  const file = store.filesOf(name);
  const canary = {
    encoder: file("encoder"),
    decoder: file("decoder"),
    srcLang: language,
    tgtLang: translate ? "en" : language,
    usePnc: 1,
  };
  const recognizer = new sherpa!.OfflineRecognizer({
    featConfig: { sampleRate: ASR_SAMPLE_RATE, featureDim: 128 },
    modelConfig: { canary, tokens: file("vocabulary"), numThreads: 1, debug: 0 },
  });
  return (samples: Float32Array) => {
    const stream = recognizer.createStream();
    stream.acceptWaveform({ sampleRate: ASR_SAMPLE_RATE, samples });
    recognizer.decode(stream);
    return recognizer.getResult(stream).text.trim().replaceAll(/ +/g, " ");
  };
}

describe.skipIf(!sherpa)(`the texts of sherpa-onnx${unlessSherpa}`, () => {
  for (const seed of SEEDS)
    test.each(PAIRS)(`model ${seed}, %o: eight at once write what each does alone there`, async (pair) => {
      const contents = canaryContents.single({ seed, positions: true });
      const name = `single-${seed}`;
      store.add(name, "canary", { contents, options: { longest_seconds: 30 } });
      const transcribe = openTheirs(name, pair);
      const clips = LENGTHS.map((rows) => noise(rows, seed));
      const expected = clips.map(transcribe);
      const texts = await Promise.all(clips.map((samples) => ours(name, samples, pair)));
      expect(texts).toEqual(expected);
      expect(new Set(expected).size).toBe(LENGTHS.length);
      expect(Math.min(...expected.map((text) => text.length))).toBeGreaterThan(10);
    });
});

describe("the texts of onnx-asr", () => {
  for (const [seed, texts] of Object.entries(written))
    test.each(PAIRS)(`model ${seed}, %o: eight at once and each alone`, async (pair) => {
      const contents = canaryContents.batch({ seed: Number(seed) });
      const name = `batch-${seed}`;
      store.add(name, "canary", { contents, options: { longest_seconds: 30 } });
      const clips = LENGTHS.map((rows) => noise(rows, Number(seed)));
      const expected =
        texts[`${pair.language} to ${pair.translate ? "en" : pair.language}` as keyof typeof texts];
      expect(expected).toHaveLength(LENGTHS.length);
      expect(await Promise.all(clips.map((samples) => ours(name, samples, pair)))).toEqual(expected);
      for (const [index, samples] of clips.entries())
        expect(await ours(name, samples, pair)).toBe(expected[index]!);
    });
});
