/**
 * Promise: a NeMo model gives the tokens and times of sherpa-onnx.
 *
 * test/workers/features compares features with NeMo's own; sherpa uses Kaldi's, with other frame positions and another
 * floor of the logarithm. So the models here depend only on the index of a frame. sherpa allows 5 tokens on a frame of
 * TDT, NeMo and we 10; the models here emit fewer.
 */
import { afterAll, describe, expect, test } from "bun:test";
import { ASR_SAMPLE_RATE } from "../../src/audio/rates.ts";
import { soleClaim } from "../../src/engine/runner.ts";
import { recognize } from "../../src/transcription/recognize.ts";
import { MELS, nemoContents, nemoOptions } from "../../testing/packages/families/nemo.ts";
import { type Contents, openTestStore } from "../../testing/packages/model-store.ts";
import { openRandom } from "../../testing/packages/random.ts";
import { sherpa, unlessSherpa } from "./sherpa.ts";

type Decoding = "ctc" | "rnnt" | "tdt";

const FRAME = 1280; // samples of one frame of the encoder
const store = openTestStore();
afterAll(() => store[Symbol.asyncDispose]());

const noise = (frames: number, seed: number) => {
  const random = openRandom(seed);
  return Float32Array.from({ length: frames * FRAME }, () => (random() - 0.5) * 0.2);
};

/** Every token and the frame it was said at, from words that hold one token each or many. */
async function ours(name: string, samples: Float32Array): Promise<string> {
  const spans = [{ start: 0, end: samples.length }];
  const recognition = { samples: samples.slice(), spans, language: null, prompt: "", claim: soleClaim() };
  const hypotheses = await Array.fromAsync(recognize(store.registry.engine(name), recognition));
  return hypotheses
    .flatMap(({ words }) => words.map(({ text, start }) => `${start.toFixed(2)} ${text}`))
    .join("\n");
}

/** sherpa-onnx, with the files of one package. */
function openTheirs(name: string, decoding: Decoding): (samples: Float32Array) => string {
  const file = store.filesOf(name);
  const model =
    decoding === "ctc"
      ? { nemoCtc: { model: file("encoder") } }
      : {
          transducer: { encoder: file("encoder"), decoder: file("decoder"), joiner: file("joiner") },
          modelType: "nemo_transducer",
        };
  const recognizer = new sherpa!.OfflineRecognizer({
    featConfig: { sampleRate: ASR_SAMPLE_RATE, featureDim: MELS },
    modelConfig: { ...model, tokens: file("vocabulary"), numThreads: 1, debug: 0 },
  });
  return (samples) => {
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
  };
}

const SEEDS = [1, 2, 3];
const LENGTHS = Array.from({ length: 8 }, (_, at) => 20 + 11 * at); // frames

describe.skipIf(!sherpa)(`transcripts equal those of sherpa-onnx${unlessSherpa}`, () => {
  const layouts: [string, Decoding, (seed: number) => Contents][] = [
    ["CTC", "ctc", (seed) => nemoContents.ctc({ seed, positions: true })],
    ["RNN-T", "rnnt", (seed) => nemoContents.split({ seed, positions: true })],
    ["TDT", "tdt", (seed) => nemoContents.split({ seed, positions: true, durations: 5 })],
  ];
  test.each(layouts)("%s", async (_name, decoding, contentsOf) => {
    let tokens = 0;
    for (const seed of SEEDS) {
      const contents = contentsOf(seed);
      const name = `${decoding}-${seed}`;
      store.add(name, "nemo", { options: nemoOptions(decoding, 5), contents });
      const recordings = LENGTHS.map((frames) => noise(frames, seed + frames));
      const theirs = recordings.map(openTheirs(name, decoding));
      expect(await ours(name, recordings[1]!)).toBe(theirs[1]!);
      expect(await Promise.all(recordings.map((samples) => ours(name, samples)))).toEqual(theirs); // eight at once
      tokens += theirs.join("\n").split("\n").length;
    }
    expect(tokens).toBeGreaterThan(50); // or nothing was compared
  });
});
