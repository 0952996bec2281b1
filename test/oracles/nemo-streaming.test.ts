/**
 * Promise: a cache-aware transducer says the same here as in sherpa-onnx, window after window.
 *
 * sherpa's first window begins with the first frame, NeMo's and ours with as many zeros as later ones look back, so ours
 * come one lookback earlier. These models' frames depend on how many came before, so that both must say the same; at the
 * end sherpa leaves what is no whole window, and we fill it up.
 */
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ASR_SAMPLE_RATE } from "../../src/audio/rates.ts";
import { soleClaim } from "../../src/engine/claim.ts";
import type { StreamingResult, StreamingTask } from "../../src/engine/protocol/streaming-recognition.ts";
import { openTestStore } from "../packages/model-store.ts";
import { MELS } from "../packages/nemo.ts";
import { STREAMING, streamingContents } from "../packages/nemo-streaming.ts";
import { openRandom } from "../packages/random.ts";
import { sherpa, unlessSherpa } from "./sherpa.ts";

const store = openTestStore();
const folder = mkdtempSync(join(tmpdir(), "loquat-sherpa-"));
afterAll(async () => {
  await store[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

function noise(seconds: number): Float32Array {
  const random = openRandom(seconds);
  return Float32Array.from({ length: seconds * ASR_SAMPLE_RATE }, () => (random() - 0.5) * 0.2);
}

async function ours(name: string, samples: Float32Array): Promise<string[]> {
  const engine = store.registry.engine(name);
  const ask = (task: Partial<StreamingTask>) =>
    engine.run<StreamingResult[]>({ open: [], feed: [], finish: [], close: [], ...task }, soleClaim());
  const words: string[] = [];
  await ask({ open: [{ id: 1, language: null }] });
  for (let at = 0; at < samples.length; at += 3700) {
    const [answer] = await ask({ feed: [{ id: 1, samples: samples.slice(at, at + 3700) }] });
    words.push(...answer!.words.map(({ text, start }) => `${start.toFixed(2)} ${text}`));
  }
  await ask({ close: [1] });
  return words;
}

test.skipIf(!sherpa)(`transcripts equal those of sherpa-onnx${unlessSherpa}`, async () => {
  let compared = 0;
  for (const seed of [1, 2, 3, 4, 5]) {
    const contents = streamingContents({ seed });
    const name = `streaming-${seed}`;
    store.add(name, "nemo-streaming", { options: STREAMING, contents });
    const path = (role: keyof typeof contents) => {
      const file = join(folder, `${seed}-${contents[role].path}`);
      writeFileSync(file, contents[role].bytes);
      return file;
    };
    const recognizer = new sherpa!.OnlineRecognizer({
      featConfig: { sampleRate: ASR_SAMPLE_RATE, featureDim: MELS },
      modelConfig: {
        transducer: { encoder: path("encoder"), decoder: path("decoder"), joiner: path("joiner") },
        tokens: path("vocabulary"),
        numThreads: 1,
        debug: 0,
      },
    });
    const samples = noise(4 + seed);
    const stream = recognizer.createStream();
    stream.acceptWaveform({ sampleRate: ASR_SAMPLE_RATE, samples });
    stream.inputFinished?.();
    while (recognizer.isReady(stream)) recognizer.decode(stream);
    const { tokens, timestamps } = recognizer.getResult(stream);
    const theirs: string[] = [];
    for (const [at, token] of tokens.entries())
      if (theirs.length === 0 || /^[ ▁]/.test(token))
        theirs.push(`${timestamps[at]!.toFixed(2)} ${token.replace(/^[ ▁]/, "")}`);
      else theirs[theirs.length - 1] += token;
    const words = await ours(name, samples);
    const both = Math.min(words.length, theirs.length - 1); // the last of theirs may be half a word
    expect(words.slice(0, both)).toEqual(theirs.slice(0, both));
    expect(Math.abs(words.length - theirs.length)).toBeLessThan(20);
    compared += both;
  }
  expect(compared).toBeGreaterThan(50); // or nothing was compared
});
