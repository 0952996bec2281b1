/**
 * Promise: a cache-aware transducer gives the transcripts of sherpa-onnx, window after window.
 *
 * sherpa's first window starts at the first frame; NeMo's and ours starts with zeros for the frames of its left
 * context, so our tokens come one context earlier. The models here depend on the number of earlier frames, so that both
 * must agree. At the end sherpa drops an incomplete window, and we pad it, with a window of
 * silence behind it.
 */
import { afterAll, expect, test } from "bun:test";
import { ASR_SAMPLE_RATE } from "../../src/audio/rates.ts";
import type { StreamingResult, StreamingTask } from "../../src/engine/protocol/streaming-recognition.ts";
import { soleClaim } from "../../src/engine/runner.ts";
import { MELS } from "../../testing/packages/families/nemo.ts";
import {
  SMALL_STREAMING,
  STREAMING,
  streamingContents,
} from "../../testing/packages/families/nemo-streaming.ts";
import { openTestStore } from "../../testing/packages/model-store.ts";
import { openRandom } from "../../testing/packages/random.ts";
import { sherpa, unlessSherpa } from "./sherpa.ts";

const store = openTestStore();
afterAll(() => store[Symbol.asyncDispose]());

function noise(seconds: number): Float32Array {
  const random = openRandom(seconds);
  return Float32Array.from({ length: seconds * ASR_SAMPLE_RATE }, () => (random() - 0.5) * 0.2);
}

/** Words of several live streams at once, each fed in pieces of its own size. */
async function ours(name: string, all: Float32Array[]): Promise<string[][]> {
  const engine = store.registry.engine(name);
  const run = (task: Partial<StreamingTask>) =>
    engine.run(
      { kind: "streaming-recognition", open: [], feed: [], finish: [], close: [], ...task },
      soleClaim(),
    );
  const ids = all.map((_, at) => at + 1);
  const words: string[][] = all.map(() => []);
  const take = (results: StreamingResult[]) => {
    for (const { id, words: added } of results)
      words[id - 1]!.push(...added.map(({ text, start }) => `${start.toFixed(2)} ${text}`));
  };
  await run({ open: ids.map((id) => ({ id, language: null })) });
  const from = all.map(() => 0);
  while (all.some((samples, at) => from[at]! < samples.length)) {
    const feed = all.flatMap((samples, at) => {
      const piece = samples.slice(from[at], from[at]! + 3700 + 900 * at);
      from[at]! += piece.length;
      return piece.length > 0 ? [{ id: at + 1, samples: piece }] : [];
    });
    take(await run({ feed }));
  }
  take(await run({ finish: ids, close: ids }));
  return words;
}

function openTheirs(name: string): (samples: Float32Array) => string[] {
  const file = store.filesOf(name);
  const recognizer = new sherpa!.OnlineRecognizer({
    featConfig: { sampleRate: ASR_SAMPLE_RATE, featureDim: MELS },
    modelConfig: {
      transducer: { encoder: file("encoder"), decoder: file("decoder"), joiner: file("joiner") },
      tokens: file("vocabulary"),
      numThreads: 1,
      debug: 0,
    },
  });
  return (samples) => {
    const stream = recognizer.createStream();
    stream.acceptWaveform({ sampleRate: ASR_SAMPLE_RATE, samples });
    stream.inputFinished?.();
    while (recognizer.isReady(stream)) recognizer.decode(stream);
    const { tokens, timestamps } = recognizer.getResult(stream);
    const words: string[] = [];
    for (const [at, token] of tokens.entries())
      if (words.length === 0 || /^[ ▁]/.test(token))
        words.push(`${timestamps[at]!.toFixed(2)} ${token.replace(/^[ ▁]/, "")}`);
      else words[words.length - 1] += token;
    return words;
  };
}

/** Frames of features from window to window: the published 160, 80 and 1,120 ms. */
const WINDOWS: [seed: number, shift: number][] = [
  [1, 16],
  [2, 8],
  [3, 112],
];

test.skipIf(!sherpa)(
  `transcripts of one and of eight streams equal those of sherpa-onnx${unlessSherpa}`,
  async () => {
    let compared = 0;
    for (const [seed, shift] of WINDOWS) {
      const sizes = { ...SMALL_STREAMING, shift, window: shift + STREAMING.lookback };
      const contents = streamingContents({ seed, sizes });
      const name = `streaming-${seed}`;
      store.add(name, "nemo-streaming", { options: STREAMING, contents });
      const recordings = Array.from({ length: 8 }, (_, at) => noise(2 + at / 2));
      const theirs = recordings.map(openTheirs(name));
      const [alone] = await ours(name, recordings.slice(2, 3));
      const together = await ours(name, recordings);
      expect(together[2]).toEqual(alone!);
      for (const [at, words] of together.entries()) {
        const both = Math.min(words.length, theirs[at]!.length - 1); // the last of theirs may be half a word
        expect(words.slice(0, both)).toEqual(theirs[at]!.slice(0, both));
        const silence = Math.ceil(shift / 8) + 8; // frames that end our stream, of up to 10 tokens
        expect(words.length - theirs[at]!.length).toBeLessThanOrEqual(10 * silence);
        expect(words.length).toBeGreaterThanOrEqual(theirs[at]!.length);
        compared += both;
      }
    }
    expect(compared).toBeGreaterThan(50); // or nothing was compared
  },
);
