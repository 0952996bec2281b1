/**
 * Promise: Whisper gives the tokens of transformers.js.
 *
 * With timestamps they agree until transformers.js goes back in time: it lacks that rule of openai/whisper's decoding,
 * and skips the one for the first timestamp. Both are applied here.
 */
import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { env, Tensor, WhisperForConditionalGeneration } from "@huggingface/transformers";
import {
  WHISPER_IDS,
  WHISPER_MELS,
  WHISPER_SUPPRESSED,
  whisperContents,
} from "../../testing/packages/families/whisper.ts";
import { openRandom } from "../../testing/packages/random.ts";
import { openDecoder } from "../../workers/asr/whisper/decoder.ts";
import { openWhisperGraphs } from "../../workers/asr/whisper/graphs.ts";
import { specialTokens } from "../../workers/asr/whisper/tokens.ts";
import { openWhisperFeatures } from "../../workers/features/whisper.ts";
import { transpose } from "../../workers/onnx/tensors.ts";

const root = mkdtempSync(join(tmpdir(), "loquat-transformers-"));
env.allowRemoteModels = false;
env.localModelPath = root;
afterAll(() => rmSync(root, { recursive: true }));

const FRAMES = 3000;
const TOKENS_MOST = 60;
const AT_ONCE = 8;
const { eot, sot, english, transcribe } = WHISPER_IDS;
const special = specialTokens(eot, 3);
const features = openWhisperFeatures(WHISPER_MELS);

function noise(seed: number): Float32Array {
  const random = openRandom(seed);
  return Float32Array.from({ length: 160_000 }, (_, at) => (random() - 0.5) * Math.sin(at / 4000));
}

/** Eight recordings by one model: in one batch here, one after the other there. */
async function bothOf(seed: number, timestamps: boolean): Promise<{ ours: number[]; theirs: number[] }[]> {
  const contents = whisperContents({ seed });
  const name = `seed-${seed}`;
  for (const { path, bytes } of Object.values(contents)) {
    mkdirSync(dirname(join(root, name, path)), { recursive: true });
    writeFileSync(join(root, name, path), bytes);
  }
  const windows = Array.from({ length: AT_ONCE }, (_, at) => features(noise(seed + 10 * at)).rows);
  const ours = await recognized(contents, name, { windows, timestamps });
  const theirs = await referenceOf(name, { windows, timestamps });
  return ours.map((tokens, at) => ({ ours: tokens, theirs: theirs[at]! }));
}

type Windows = { windows: Float32Array[]; timestamps: boolean };
const startOf = (timestamps: boolean) => [
  sot,
  english,
  transcribe,
  ...(timestamps ? [] : [special.noTimestamps]),
];

async function referenceOf(name: string, { windows, timestamps }: Windows): Promise<number[][]> {
  const model = await WhisperForConditionalGeneration.from_pretrained(name, { dtype: "fp32", device: "cpu" });
  const all: number[][] = [];
  for (const rows of windows) {
    const values = transpose(rows, { rows: FRAMES, columns: WHISPER_MELS });
    const answer = (await model.generate({
      inputs: new Tensor("float32", values, [1, WHISPER_MELS, FRAMES]),
      language: "en",
      task: "transcribe",
      return_timestamps: timestamps,
      max_new_tokens: TOKENS_MOST,
    } as never)) as { data: BigInt64Array };
    const tokens = Array.from(answer.data, Number).slice(startOf(timestamps).length);
    all.push(tokens.filter((token) => token !== eot).slice(0, TOKENS_MOST));
  }
  await model.dispose();
  return all;
}

async function recognized(
  contents: ReturnType<typeof whisperContents>,
  name: string,
  { windows, timestamps }: Windows,
): Promise<number[][]> {
  const path = (role: string) => join(root, name, contents[role]!.path);
  const shape = { mels: WHISPER_MELS, width: 64, layers: 1, heads: 1 };
  const graphs = await openWhisperGraphs({ encoder: path("encoder"), decoder: path("decoder") }, shape, {
    threads: 1,
    devices: [],
    shared: false,
  });
  const rules = { special, suppressed: WHISPER_SUPPRESSED, blank: [0], firstMax: 1500, positionsMax: 448 };
  const write = openDecoder(graphs, { ...rules, timestamps, heads: [], batchMax: AT_ONCE });
  const hidden = await graphs.encode(windows);
  const request = { prompt: startOf(timestamps), startAt: 0, temperature: 0, frames: 1500, aligned: false };
  const results = await Promise.all(hidden.map((each) => write({ ...request, hidden: each })));
  return results.map(({ tokens }) => tokens.slice(0, TOKENS_MOST));
}

const SEEDS = [1, 2, 3];

describe("Whisper beside transformers.js, eight windows at once", () => {
  test("transcripts without timestamps match", async () => {
    let compared = 0;
    for (const seed of SEEDS)
      for (const { ours, theirs } of await bothOf(seed, false)) {
        expect(ours).toEqual(theirs);
        compared += ours.length;
      }
    expect(compared).toBeGreaterThan(100); // or nothing was compared
  });

  test("transcripts with timestamps match, unless the reference goes back in time", async () => {
    let compared = 0;
    for (const seed of SEEDS)
      for (const { ours, theirs } of await bothOf(seed, true)) {
        const differs = theirs.findIndex((token, at) => ours[at] !== token);
        const same = differs < 0 ? theirs.length : differs;
        compared += same;
        if (differs < 0) continue;
        // where they part theirs is a time, and one that may not follow, or was chosen with those that may not
        const last = ours.slice(0, same).findLast((token) => token >= special.firstTimestamp)!;
        expect(theirs[same]!).toBeGreaterThanOrEqual(special.firstTimestamp);
        expect(theirs[same]! <= last || ours[same]! < special.firstTimestamp).toBe(true);
      }
    expect(compared).toBeGreaterThan(20);
  });
});
