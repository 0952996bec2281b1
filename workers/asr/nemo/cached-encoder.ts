/**
 * The encoder of a cache-aware FastConformer, for many streams: windows of features and three caches in, encoder frames
 * and the new caches out.
 *
 *   audio_signal [B, M, W]  length [B]  cache_last_channel [B, L, C, D]  cache_last_time [B, L, D, K]  …_len [B]
 *   outputs [B, D, T]  encoded_lengths [B]  the new caches, "_next"      (prompt_index [B]: the language, where the export has it)
 */

import type { OptionsOf } from "../../../src/engine/families/families.ts";
import type { Placement } from "../../../src/engine/protocol/engine-data.ts";
import { readModelFile } from "../../../src/onnx/model-file.ts";
import { HOP, NemoStream, SILENCE } from "../../features/nemo.ts";
import { openGraph, type Signature } from "../../onnx/session.ts";
import { stack, transpose } from "../../onnx/tensors.ts";
import { cacheSizeIn, type DeclaredShape, shapeIn } from "./settings.ts";

export type Stream = {
  push(samples: Float32Array): void;
  /** Ends the stream: pads it with silence, which completes the last word and fills the last window. */
  finish(): void;
  isReady(): boolean;
};

/** The encoder frames of one window, and the index of the first in the stream. */
type Encoded = { frames: Float32Array; count: number; from: number };

type Options = OptionsOf<"nemo-streaming">;
type Caches = { channel: Float32Array; time: Float32Array; length: bigint };

const CACHES = ["cache_last_channel", "cache_last_time"];
const LENGTH = "cache_last_channel_len";
const LENGTH_NEXT = "cache_last_channel_next_len";

/** The prompt of a language; where there is none, that of language detection. */
function promptOf(language: string | null, { prompts, auto }: DeclaredShape): number {
  const tags = Object.keys(prompts ?? {});
  const tag = tags.find((each) => each === language || each.startsWith(`${language}-`));
  return language === null || tag === undefined ? auto : prompts![tag]!;
}

export async function openCachedEncoder(path: string, options: Options, placement: Placement) {
  const file = readModelFile(path);
  const shape = shapeIn(file, path, options);
  const { mels, shift, window, prompts } = shape;
  const { session, Tensor } = await openGraph(path, signatureOf({ mels, window, prompts }), placement);
  const sizes = CACHES.map((name) => cacheSizeIn(file, name));
  const [channel, time] = sizes;
  const float = (rows: Float32Array[], size: number[]) =>
    new Tensor("float32", stack(rows), [rows.length, ...size]);
  const integers = (values: bigint[]) => new Tensor("int64", BigInt64Array.from(values), [values.length]);

  return {
    open(language: string | null): Stream {
      return new Windows({ mels, shift, lookback: window - shift, sizes, prompt: promptOf(language, shape) });
    },

    /** One window of every stream, in one run. */
    async step(streams: Stream[]): Promise<Encoded[]> {
      const all = streams as Windows[];
      const answer = await session.run({
        audio_signal: float(
          all.map((stream) => stream.window()),
          [mels, window],
        ),
        length: integers(all.map(() => BigInt(window))),
        cache_last_channel: float(
          all.map(({ caches }) => caches.channel),
          channel!,
        ),
        cache_last_time: float(
          all.map(({ caches }) => caches.time),
          time!,
        ),
        [LENGTH]: integers(all.map(({ caches }) => caches.length)),
        ...(prompts ? { prompt_index: integers(all.map(({ prompt }) => BigInt(prompt))) } : {}),
      });
      const row = (name: string, index: number) =>
        rowOf(answer[name]!.data as Float32Array, index, all.length);
      const [, width, frames] = answer.outputs!.dims as [number, number, number];
      const lengths = answer[LENGTH_NEXT]!.data as BigInt64Array;
      return all.map((stream, index) => {
        stream.caches = {
          channel: row("cache_last_channel_next", index),
          time: row("cache_last_time_next", index),
          length: lengths[index]!,
        };
        return {
          frames: transpose(row("outputs", index), { rows: width, columns: frames }),
          count: frames,
          from: stream.advance(frames),
        };
      });
    },
  };
}

function signatureOf({
  mels,
  window,
  prompts,
}: {
  mels: number;
  window: number;
  prompts: object | null;
}): Signature {
  const cache = { type: "float32", shape: [null, null, null, null] } as Signature["inputs"][string];
  const length = { type: "int64", shape: [null] } as Signature["inputs"][string];
  return {
    inputs: {
      audio_signal: { type: "float32", shape: [null, mels, window] },
      length,
      cache_last_channel: cache,
      cache_last_time: cache,
      [LENGTH]: length,
      ...(prompts ? { prompt_index: length } : {}),
    },
    outputs: {
      outputs: { type: "float32", shape: [null, null, null] },
      cache_last_channel_next: cache,
      cache_last_time_next: cache,
      [LENGTH_NEXT]: length,
    },
  };
}

type Windowing = { mels: number; shift: number; lookback: number; sizes: number[][]; prompt: number };

/** One stream's features, window by window. */
class Windows implements Stream {
  readonly prompt: number;
  caches: Caches;
  readonly #shape: Windowing;
  readonly #features: NemoStream;
  /** Rows of the next windows; the first `lookback` of them were in the window before. */
  #rows: Float32Array;
  #encodedFrames = 0;

  constructor(shape: Windowing) {
    const { mels, lookback, sizes, prompt } = shape;
    const empty = (size: number[]) => new Float32Array(size.reduce((all, each) => all * each, 1));
    this.prompt = prompt;
    this.#shape = shape;
    this.#features = new NemoStream(mels);
    this.#rows = new Float32Array(lookback * mels);
    this.caches = { channel: empty(sizes[0]!), time: empty(sizes[1]!), length: 0n };
  }

  push(samples: Float32Array): void {
    this.#append(this.#features.push(samples));
  }

  finish(): void {
    const { mels, shift, lookback } = this.#shape;
    this.#append(this.#features.push(new Float32Array(shift * HOP)));
    this.#append(this.#features.finish());
    const left = (this.#rows.length / mels - lookback) % shift;
    if (left > 0) this.#append(new Float32Array((shift - left) * mels).fill(SILENCE));
  }

  isReady(): boolean {
    const { mels, shift, lookback } = this.#shape;
    return this.#rows.length >= (lookback + shift) * mels;
  }

  /** [mels, window]. The next window begins `shift` rows later. */
  window(): Float32Array {
    const { mels, shift, lookback } = this.#shape;
    const frames = lookback + shift;
    const window = transpose(this.#rows, { rows: frames, columns: mels });
    this.#rows = this.#rows.slice(shift * mels);
    return window;
  }

  /** Returns the index of the first of these encoder frames. */
  advance(frames: number): number {
    const from = this.#encodedFrames;
    this.#encodedFrames += frames;
    return from;
  }

  #append(rows: Float32Array): void {
    const both = new Float32Array(this.#rows.length + rows.length);
    both.set(this.#rows);
    both.set(rows, this.#rows.length);
    this.#rows = both;
  }
}

function rowOf(values: Float32Array, index: number, count: number): Float32Array {
  const size = values.length / count;
  return values.slice(index * size, (index + 1) * size);
}
