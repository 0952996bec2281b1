/**
 * Promise: Moonshine writes what moonshine-wasm does, word for word, and as many streams as one.
 *
 * moonshine-wasm is no development dependency, because it has 13 MB: what its version 0.1.5 wrote of these graphs is
 * kept here, and compared with it where it is installed. It never encodes the last 0.32 s, which its encoder would look
 * ahead to, and stretches the times over them: our words begin with its words, and its last one may be half of ours.
 */
import { afterAll, expect, test } from "bun:test";
import { ASR_SAMPLE_RATE } from "../../src/audio/rates.ts";
import type { Word } from "../../src/engine/protocol/recognition.ts";
import type { StreamingResult, StreamingTask } from "../../src/engine/protocol/streaming-recognition.ts";
import { soleClaim } from "../../src/engine/runner.ts";
import { recognize } from "../../src/transcription/recognize.ts";
import { moonshineContents } from "../../testing/packages/families/moonshine.ts";
import { type Contents, openTestStore } from "../../testing/packages/model-store.ts";
import { openRandom } from "../../testing/packages/random.ts";

const store = openTestStore();
afterAll(() => store[Symbol.asyncDispose]());

type Line = { text: string; words: { text: string; start: number; end: number }[] };
type Oracle = {
  ModelArch: { TinyStreaming: number };
  Transcriber: {
    load(options: object): Promise<{ transcribe(samples: Float32Array, options: object): { lines: Line[] } }>;
  };
};
const PACKAGE = "@moonshine-ai/moonshine-wasm";
const oracle: Oracle | null = await import(PACKAGE).catch(() => null);
const unlessOracle = oracle ? "" : ` (skipped: ${PACKAGE} is not installed)`;

/** What it wrote: by seed, the end of each word in milliseconds, as it stretches them. */
const WRITTEN: Record<number, { seconds: number; text: string; ends: number[] }> = {
  1: {
    seconds: 4.8,
    text: "word33ly36 word59. word2 word2 word33 word33 word26 word51 word51ly36 word2 word54 word54ly36ly36ly16 word53",
    ends: [525, 1039, 1296, 1554, 1811, 2068, 2325, 2582, 3096, 3354, 3611, 4639, 4800],
  },
  3: {
    seconds: 8,
    text: "word53 word53 word45 word45 word45 word27ly44 word27 word17 word11 word17 word59 word45 word10 word45 word3 word29 word45 word29ly8 word45 word45 word27 word27 word17ly56 word30 word45 word59ly56 word17 word17",
    ends: [
      260, 510, 760, 1010, 1260, 1760, 2010, 2260, 2510, 2760, 3010, 3260, 3510, 3760, 4010, 4260, 4510, 5010,
      5260, 5510, 5760, 6010, 6510, 6760, 7010, 7510, 7760, 8000,
    ],
  },
};

const LOOKAHEAD_SECONDS = 0.32;
const FRAME_SECONDS = 0.02;

function noise(seconds: number, seed: number): Float32Array {
  const random = openRandom(seed);
  return Float32Array.from({ length: Math.round(seconds * ASR_SAMPLE_RATE) }, () => (random() - 0.5) * 0.2);
}

const contentsOf = new Map<number, Contents>();
async function opened(seed: number) {
  const contents = contentsOf.get(seed) ?? (await moonshineContents({ seed }));
  if (!contentsOf.has(seed)) store.add(`moonshine-${seed}`, "moonshine", { contents });
  contentsOf.set(seed, contents);
  return { contents, engine: store.registry.engine(`moonshine-${seed}`) };
}

async function ofRecording(seed: number, samples: Float32Array): Promise<Word[]> {
  const spans = [{ start: 0, end: samples.length }];
  const recording = { samples: samples.slice(), spans, language: "en", prompt: "", claim: soleClaim() };
  const { engine } = await opened(seed);
  const hypotheses = await Array.fromAsync(recognize(engine, { ...recording, wordTimes: true }));
  return hypotheses.flatMap(({ words }) => words);
}

async function theirs(seed: number, samples: Float32Array): Promise<Line["words"]> {
  const { contents } = await opened(seed);
  const files = Object.values(contents).map(({ path, bytes }) => [
    path,
    new Uint8Array(Buffer.from(bytes as Uint8Array)),
  ]);
  const transcriber = await oracle!.Transcriber.load({
    files: Object.fromEntries([
      ...files,
      ["decoder_kv.ort", Buffer.from(contents.decoder!.bytes as Uint8Array)],
    ]),
    modelArch: oracle!.ModelArch.TinyStreaming,
    options: { vad_threshold: "0", word_timestamps: "true" },
  });
  const { lines } = transcriber.transcribe(samples, { sampleRate: ASR_SAMPLE_RATE });
  return lines.flatMap(({ words }) => words);
}

const CASES = Object.entries(WRITTEN).map(([seed, written]) => ({ seed: Number(seed), ...written }));

test.each(CASES)(
  "the words of recording $seed are those of moonshine-wasm",
  async ({ seed, seconds, text, ends }) => {
    const words = await ofRecording(seed, noise(seconds, seed));
    const expected = text.split(" ");
    expect(words.slice(0, expected.length - 1).map((word) => word.text)).toEqual(expected.slice(0, -1));
    expect(words[expected.length - 1]!.text).toStartWith(expected.at(-1)!);
    const stretched = seconds / (seconds - LOOKAHEAD_SECONDS);
    for (const [index, end] of ends.slice(0, -1).entries())
      expect(Math.abs(words[index]!.end - end / 1000 / stretched)).toBeLessThan(FRAME_SECONDS);
  },
);

test.skipIf(!oracle)(`moonshine-wasm writes what is kept here${unlessOracle}`, async () => {
  for (const { seed, seconds, text, ends } of CASES) {
    const words = await theirs(seed, noise(seconds, seed));
    expect(words.map((word) => word.text).join(" ")).toBe(text);
    expect(words.map(({ end }) => Math.round(end * 1000))).toEqual(ends);
  }
});

test("one live stream and eight write what a recording does, however they are divided", async () => {
  const samples = noise(6.4, 1);
  const expected = (await ofRecording(1, samples)).map(({ text }) => text);
  const alone = await ofStreams([samples], [5000]);
  const together = await ofStreams(
    Array(8).fill(samples),
    [320, 800, 1280, 2048, 5000, 8000, 16_000, 16_000],
  );
  for (const words of [...alone, ...together]) expect(words.map(({ text }) => text)).toEqual(expected);
});

/** Fed by so many samples in turn; every answer begins where the one before ended. */
async function ofStreams(all: Float32Array[], pieces: number[]): Promise<Word[][]> {
  const { engine } = await opened(1);
  const run = (task: Partial<StreamingTask>) =>
    engine.run(
      { kind: "streaming-recognition", open: [], feed: [], finish: [], close: [], ...task },
      soleClaim(),
    );
  const ids = all.map((_, at) => at + 1);
  const words: Word[][] = all.map(() => []);
  const take = (results: StreamingResult[]) => {
    for (const { id, words: added } of results) words[id - 1]!.push(...added);
  };
  await run({ open: ids.map((id) => ({ id, language: null })) });
  for (let turn = 0; all.some((samples, at) => turn * pieces[at]! < samples.length); turn++)
    take(
      await run({
        feed: all.flatMap((samples, at) => {
          const piece = samples.slice(turn * pieces[at]!, (turn + 1) * pieces[at]!);
          return piece.length > 0 ? [{ id: at + 1, samples: piece }] : [];
        }),
      }),
    );
  take(await run({ finish: ids, close: ids }));
  return words;
}
