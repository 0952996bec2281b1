/**
 * Promise: a NeMo model says the same here as in sherpa-onnx, token by token and at the same times.
 *
 * Features are compared elsewhere, with NeMo's own: sherpa's are Kaldi's with NeMo's settings, which differ in where a
 * frame lies and in what is under the logarithm. So what these models hear depends on the place of a frame alone.
 * sherpa allows 5 tokens on a frame of TDT, NeMo and we 10: the models here say fewer.
 */
import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ASR_SAMPLE_RATE } from "../../src/audio/rates.ts";
import { soleClaim } from "../../src/engine/claim.ts";
import { recognize } from "../../src/transcription/recognize.ts";
import { type Contents, openTestStore } from "../packages/model-store.ts";
import { MELS, nemoContents, nemoOptions } from "../packages/nemo.ts";
import { openRandom } from "../packages/random.ts";
import { sherpa, unlessSherpa } from "./sherpa.ts";

const FRAME = 1280; // samples of one frame of the encoder
const store = openTestStore();
const folder = mkdtempSync(join(tmpdir(), "loquat-sherpa-"));
afterAll(async () => {
  await store[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

const noise = (frames: number, seed: number) => {
  const random = openRandom(seed);
  return Float32Array.from({ length: frames * FRAME }, () => (random() - 0.5) * 0.2);
};

/** Every token and the frame it was said at, from words that hold one token each or many. */
async function ours(name: string, samples: Float32Array): Promise<string> {
  const spans = [{ start: 0, end: samples.length }];
  const recognition = { samples: samples.slice(), spans, language: null, prompt: "", claim: soleClaim() };
  const heard = await Array.fromAsync(recognize(store.registry.engine(name), recognition));
  return heard
    .flatMap(({ words }) => words.map(({ text, start }) => `${start.toFixed(2)} ${text}`))
    .join("\n");
}

function theirs(contents: Contents, name: string, samples: Float32Array): string {
  const path = (role: string) => {
    const { bytes, path } = contents[role]!;
    const file = join(folder, `${name}-${path}`);
    writeFileSync(file, bytes);
    return file;
  };
  const model = contents.decoder
    ? {
        transducer: { encoder: path("encoder"), decoder: path("decoder"), joiner: path("joiner") },
        modelType: "nemo_transducer",
      }
    : { nemoCtc: { model: path("encoder") } };
  const recognizer = new sherpa!.OfflineRecognizer({
    featConfig: { sampleRate: ASR_SAMPLE_RATE, featureDim: MELS },
    modelConfig: { ...model, tokens: path("vocabulary"), numThreads: 1, debug: 0 },
  });
  const stream = recognizer.createStream();
  stream.acceptWaveform({ sampleRate: ASR_SAMPLE_RATE, samples });
  recognizer.decode(stream);
  const { tokens, timestamps } = recognizer.getResult(stream);
  const words: string[] = [];
  for (const [at, token] of tokens.entries())
    if (token === "<unk>")
      continue; // no word of ours
    else if (at === 0 || /^[ ▁]/.test(token))
      words.push(`${timestamps[at]!.toFixed(2)} ${token.replace(/^[ ▁]/, "")}`);
    else words[words.length - 1] += token;
  return words.join("\n");
}

const SEEDS = Array.from({ length: 8 }, (_, at) => at + 1);

describe.skipIf(!sherpa)(`transcripts equal those of sherpa-onnx${unlessSherpa}`, () => {
  const layouts: [string, "ctc" | "rnnt" | "tdt", (seed: number) => Contents][] = [
    ["CTC", "ctc", (seed) => nemoContents.ctc({ seed, positions: true })],
    ["RNN-T", "rnnt", (seed) => nemoContents.split({ seed, positions: true })],
    ["TDT", "tdt", (seed) => nemoContents.split({ seed, positions: true, durations: 5 })],
  ];
  test.each(layouts)("%s", async (_name, decoding, contentsOf) => {
    let tokens = 0;
    for (const seed of SEEDS) {
      const contents = contentsOf(seed);
      store.add(`${decoding}-${seed}`, "nemo", { options: nemoOptions(decoding, 5), contents });
      const samples = noise(20 + 11 * seed, seed);
      const said = await ours(`${decoding}-${seed}`, samples);
      tokens += said.split("\n").length;
      expect(said).toBe(theirs(contents, `${decoding}-${seed}`, samples));
    }
    expect(tokens).toBeGreaterThan(50); // or nothing was compared
  });
});
