/** Promise: windows and caches are as the metadata of an export declares them, and a stream ends in silence. */
import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { join as joinSamples } from "../../../../src/audio/pcm.ts";
import { writeOnnx } from "../../../../testing/onnx.ts";
import { STREAMING, streamingEncoderGraph } from "../../../../testing/packages/families/nemo-streaming.ts";
import { openRandom } from "../../../../testing/packages/random.ts";
import { openCachedEncoder } from "../../../../workers/asr/nemo/cached-encoder.ts";
import { nemoFeatures, SILENCE } from "../../../../workers/features/nemo.ts";

const folder = mkdtempSync(join(tmpdir(), "loquat-encoder-"));
afterAll(() => rmSync(folder, { recursive: true }));

const ON_PROCESSOR = { threads: 1, devices: [], shared: false };
type Encoder = Parameters<typeof streamingEncoderGraph>[0];

async function openEncoder(model: Encoder, metadata: Record<string, string | undefined> = {}) {
  const graph = streamingEncoderGraph({ listening: true, ...model });
  const changed = Object.entries({ ...graph.metadata, ...metadata });
  const path = join(folder, `${Bun.randomUUIDv7()}.onnx`);
  const kept = Object.fromEntries(changed.filter((pair): pair is [string, string] => pair[1] !== undefined));
  writeFileSync(path, writeOnnx({ ...graph, metadata: kept }));
  return openCachedEncoder(path, STREAMING, ON_PROCESSOR);
}

const noise = (count: number, seed = 1) => {
  const random = openRandom(seed);
  return Float32Array.from({ length: count }, () => (random() - 0.5) * 0.2);
};

/** All encoder frames of a recording, and how many windows they were. */
async function encode(encoder: Awaited<ReturnType<typeof openEncoder>>, samples: Float32Array) {
  const stream = encoder.open(null);
  stream.push(samples);
  stream.finish();
  const frames: number[] = [];
  let windows = 0;
  for (; stream.isReady(); windows++) frames.push(...(await encoder.step([stream]))[0]!.frames);
  return { frames, windows };
}

describe("the end of a stream", () => {
  const shift = STREAMING.shift * 160;

  test("sounds like silence to the model", async () => {
    const encoder = await openEncoder({});
    const samples = noise(3 * shift + 700);
    const ended = await encode(encoder, samples);
    const continued = await encode(encoder, joinSamples(samples, new Float32Array(4 * shift)));
    expect(continued.frames.slice(0, ended.frames.length)).toEqual(ended.frames);
    expect(continued.windows).toBe(ended.windows + 4);
  });

  test("has a window of silence for the last word, also where the length is a whole number of windows", async () => {
    const encoder = await openEncoder({});
    for (const [samples, windows] of [
      [3 * shift, 5], // the frame in the middle of the last sample is one more than the samples' own
      [3 * shift + 1, 5],
      [4 * shift - 1, 5],
      [4 * shift, 6],
    ] as const)
      expect((await encode(encoder, noise(samples))).windows).toBe(windows);
  });

  test("silence is far below zero in the features", () => {
    const { rows } = nemoFeatures(new Float32Array(16_000), 128, false);
    expect(SILENCE).toBeCloseTo(-16.6355, 4);
    expect(rows.every((mel) => Math.abs(mel - SILENCE) < 1e-4)).toBe(true);
  });
});

describe("the metadata", () => {
  test("gives the sizes of caches that the graph leaves open", async () => {
    const { windows } = await encode(await openEncoder({}), noise(16_000));
    expect(windows).toBeGreaterThan(2);
  });

  test("an export that declares no sizes anywhere is refused by name", async () => {
    const opened = openEncoder({}, { cache_last_channel_dim2: undefined });
    await expect(opened).rejects.toThrow(
      "neither its metadata nor its graph declares the size of cache_last_channel",
    );
  });

  test.each([
    ["chunk_shift", "0"],
    ["chunk_shift", "1e9"],
    ["chunk_shift", "1.5"],
    ["window_size", "8"],
    ["window_size", "1e999"],
    ["feat_dim", "x"],
    ["feat_dim", "-80"],
    ["cache_last_channel_dim2", "1e15"],
    ["cache_last_time_dim3", "2.5"],
    ["cache_last_time_dim1", "16000000"],
    ["prompt_dictionary", "{broken"],
    ["prompt_dictionary", "[]"],
    ["prompt_dictionary", '{"auto":"3"}'],
    ["prompt_dictionary", '{"de":1e30}'],
    ["prompt_dictionary", '{"de":-1}'],
    ["prompt_dictionary", "[".repeat(100_000)],
    ["prompt_dictionary", " ".repeat(300_000)],
  ])(
    "with a %s that cannot be (%#) is refused by that name, before anything is allocated by it",
    async (name, value) => {
      const before = process.memoryUsage().arrayBuffers;
      const failure = await openEncoder({ prompts: true }, { [name]: value }).catch((error: Error) => error);
      expect(failure).toBeInstanceOf(Error);
      expect((failure as Error).message).toContain(name.replace(/_dim\d$/, ""));
      expect((failure as Error).message.length).toBeLessThan(500);
      expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 * 1024 * 1024);
    },
  );

  test("of more than 16 MB is not read", async () => {
    const opened = openEncoder({}, { comment: " ".repeat(17_000_000) });
    await expect(opened).rejects.toThrow("a part that is no weights has too many bytes");
  });

  test("with no prompt of detection that is a number is refused", async () => {
    const opened = openEncoder({ prompts: true }, { prompt_dictionary: '{"de":1}', auto_prompt_id: "x" });
    await expect(opened).rejects.toThrow("its auto_prompt_id is x, no whole number from 0 to 1000000");
  });

  test.each([
    [160, 16, 25],
    [560, 56, 65],
    [1120, 112, 121],
  ])("windows of %d ms need nothing else", async (_ms, shift, window) => {
    const encoder = await openEncoder({ sizes: { shift, window } });
    const { frames, windows } = await encode(encoder, noise(4 * shift * 160));
    expect(windows).toBeWithin(5, 7);
    expect(frames.length).toBe((windows * shift * 24) / 8);
  });

  test("a language has the prompt that the metadata names, any other that of detection", async () => {
    const encoder = await openEncoder({ prompts: true });
    const languages = ["de", "en", "sv", null].map(
      (language) => encoder.open(language) as { prompt?: number },
    );
    expect(languages.map(({ prompt }) => prompt)).toEqual([1, 0, 3, 3]);
  });
});

test("eight streams in one run are encoded as each alone", async () => {
  const encoder = await openEncoder({});
  const recordings = Array.from({ length: 8 }, (_, at) => noise(16_000 + 2000 * at, at + 1));
  const alone = await Promise.all(recordings.map((samples) => encode(encoder, samples)));
  const streams = recordings.map((samples) => {
    const stream = encoder.open(null);
    stream.push(samples);
    stream.finish();
    return stream;
  });
  const together: number[][] = streams.map(() => []);
  for (let ready = [...streams]; ready.length > 0; ready = streams.filter((stream) => stream.isReady()))
    for (const [at, { frames }] of (await encoder.step(ready)).entries())
      together[streams.indexOf(ready[at]!)]!.push(...frames);
  for (const [at, frames] of together.entries())
    for (const [index, value] of frames.entries()) expect(value).toBeCloseTo(alone[at]!.frames[index]!, 4);
});
