/** Promise: a text ends where the model's places end or it is cancelled, and attention is read only where word times are wanted. */
import { afterAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { manyLetters, WHISPER_MELS, whisperContents } from "../../../../testing/packages/families/whisper.ts";
import { openRandom } from "../../../../testing/packages/random.ts";
import { openDecoder } from "../../../../workers/asr/whisper/decoder.ts";
import { openWhisperGraphs } from "../../../../workers/asr/whisper/graphs.ts";
import { evenTimes } from "../../../../workers/asr/whisper/segments.ts";
import { specialTokens } from "../../../../workers/asr/whisper/tokens.ts";

const folder = mkdtempSync(join(tmpdir(), "loquat-whisper-"));
afterAll(() => rmSync(folder, { recursive: true }));

const LETTERS = manyLetters(600);
const special = specialTokens(LETTERS.length, 3);
const START = [special.startOfTranscript, special.firstLanguage, special.transcribe];
const HEADS: [number, number][] = [
  [1, 0],
  [1, 1],
];
/** Two layers of two heads that write long texts. */
async function openModel() {
  const sizes = { mels: WHISPER_MELS, width: 64, heads: 2, layers: 2 };
  const contents = whisperContents({ letters: LETTERS, fluent: true, sizes });
  for (const { path, bytes } of Object.values(contents)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), bytes);
  }
  const path = (role: string) => join(folder, contents[role]!.path);
  const paths = { encoder: path("encoder"), decoder: path("decoder") };
  const graphs = await openWhisperGraphs(paths, sizes as never, { threads: 1, devices: [], shared: false });
  const opened: (readonly number[])[] = [];
  const begins: (() => void)[] = []; // each is called when a batch begins
  const watched: typeof graphs = {
    ...graphs,
    open(hidden, layers = []) {
      opened.push(layers);
      for (const begin of begins.splice(0)) begin();
      return graphs.open(hidden, layers);
    },
  };
  const rules = { special, suppressed: [], blank: [], firstMax: 1500, timestamps: false, positionsMax: 448 };
  const decode = openDecoder(watched, { ...rules, heads: HEADS, batchMax: 8 });
  const random = openRandom(1);
  const window = Float32Array.from({ length: 3000 * WHISPER_MELS }, () => random() - 0.5);
  const [hidden] = await graphs.encode([window]);
  return {
    opened,
    begins,
    decode,
    window,
    encode: graphs.encode,
    request: { hidden: hidden!, startAt: 0, temperature: 0, frames: 700 },
  };
}

const { decode, request, opened, begins, window, encode } = await openModel();

const previousOf = (count: number) => [
  special.startOfPrevious,
  ...Array.from({ length: count }, (_, at) => 10 + at),
];

test("windows that are encoded together are as each alone", async () => {
  const other = window.toReversed();
  const [first, second] = await encode([window, other]);
  expect(first).toEqual(request.hidden);
  expect(second).toEqual((await encode([other]))[0]!);
  expect(second).not.toEqual(first);
});

test("a text after the longest prompt ends with the last place of the model", async () => {
  const prompt = [...previousOf(223), ...START];
  const { tokens } = await decode({ ...request, prompt, startAt: 224, aligned: false });
  expect(prompt.length).toBe(227);
  expect(tokens.length).toBe(448 + 1 - prompt.length); // the last place yields one more token
});

test("a text that is cancelled ends at its next token, and one that is decoded with it does not", async () => {
  const cancel = new Int32Array(1);
  begins.push(() => cancel.fill(1));
  const [cancelled, other] = await Promise.all([
    decode({ ...request, prompt: START, aligned: false, cancel }),
    decode({ ...request, prompt: START, aligned: false }),
  ]);
  expect([cancelled.tokens.length, other.tokens.length]).toEqual([1, 224]);
});

test("a text that is cancelled before its batch begins is not decoded", async () => {
  opened.length = 0;
  const cancel = new Int32Array(1).fill(1);
  const cancelled = decode({ ...request, prompt: START, aligned: false, cancel });
  await expect(cancelled).rejects.toThrow("cancelled");
  expect(opened).toEqual([]);
});

test("a text has no more tokens than it may, whatever is decoded with it", async () => {
  const lengths = await Promise.all(
    [1, 30, 999].map(async (tokensMax) => {
      const { tokens } = await decode({ ...request, prompt: START, aligned: false, tokensMax });
      return tokens.length;
    }),
  );
  expect(lengths).toEqual([1, 30, 224]);
});

test("a text has the log probability of each token", async () => {
  const { tokens, logProbabilities, meanLogProbability } = await decode({
    ...request,
    prompt: START,
    aligned: false,
  });
  expect(logProbabilities).toHaveLength(tokens.length);
  for (const each of logProbabilities) expect(each).toBeWithin(-20, 1e-9);
  const sum = logProbabilities.reduce((total, each) => total + each, 0);
  expect(meanLogProbability).toBeLessThanOrEqual(sum / (tokens.length + 1) + 1e-9);
});

test("a sampled text is the same every time, whatever is decoded with it, and draws differ", async () => {
  const sample = (draw: number) =>
    decode({ ...request, prompt: START, aligned: false, temperature: 100, draw });
  const alone = await sample(0);
  const together = await Promise.all([0, 1, 2].map(sample));
  expect(together[0]!.tokens).toEqual(alone.tokens);
  expect(together[1]!.tokens).not.toEqual(alone.tokens);
});

test("attention is read for the layers of the alignment heads, and only where it is wanted", async () => {
  opened.length = 0;
  const [plain, aligned] = await Promise.all([
    decode({ ...request, prompt: START, aligned: false }),
    decode({ ...request, prompt: START, aligned: true }),
  ]);
  expect(opened.toSorted((a, b) => a.length - b.length)).toEqual([[], [1]]);
  expect(plain.tokens.length).toBe(224); // half the places, where there is no prompt
  expect(aligned.tokens).toEqual(plain.tokens);
  expect(plain.attention).toEqual([]);
  expect(aligned.attention.length).toBe(aligned.tokens.length);
  expect(aligned.attention[0]!.map(({ length }) => length)).toEqual([700, 700]);
});

test("without alignment the tokens of a segment divide its time", () => {
  const segments = [
    { start: 0, end: 2, tokens: [1, 2] },
    { start: 3, end: 4, tokens: [] },
    { start: 5, end: 6, tokens: [3] },
  ].map((segment) => ({ ...segment, sampled: segment.tokens }));
  expect(evenTimes(segments)).toEqual([
    { start: 0, end: 1 },
    { start: 1, end: 2 },
    { start: 5, end: 6 },
  ]);
});
