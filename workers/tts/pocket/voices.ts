/**
 * Voices as the main graph knows them: what its caches hold after it has read one. That is kept for the voices that were
 * used last.
 *
 *   recording ──encoder──> rows ──main──> caches, of which the first positions matter ──poured into──> states of a chunk
 *
 * A preset voice is a recording (.wav), or its caches as Kyutai publishes them (.safetensors).
 */
import { readFileSync } from "node:fs";
import { parseWav } from "../../../src/audio/reading/wav-file.ts";
import { resample } from "../../../src/audio/resample/resample.ts";
import type { SynthesisTask } from "../../../src/engine/protocol/synthesis.ts";
import { VOICE_SECONDS, type VoiceStyle } from "../../../src/engine/protocol/voice-encoding.ts";
import type { Tensor } from "../../onnx/session.ts";
import type { PocketGraphs } from "./graphs.ts";
import { readSafetensors } from "./safetensors.ts";
import type { State, States } from "./states.ts";

/** By layer, keys and then values of each position; and how many positions. */
export type KnownVoice = { layers: Float32Array[]; positions: number };

const PREFIX = "voice-";
const KEPT_BYTES_MAX = 96 * 1024 * 1024; // of 6 layers, five of 30 seconds or fifteen of 10; of 24 layers, a quarter
/** Of a style and of a preset: what is left is for text and frames. */
const POSITIONS_MAX = 500;

type Options = { files: Record<string, string | undefined>; sampleRate: number; before: Float32Array | null };

/** `before`: the row that precedes every voice, where the export has one. */
export function openVoices({ main, encode }: PocketGraphs, { files, sampleRate, before }: Options) {
  async function readRows(rows: Float32Array): Promise<KnownVoice> {
    const all = new Float32Array((before?.length ?? 0) + rows.length);
    if (before) all.set(before);
    all.set(rows, before?.length ?? 0);
    const positions = all.length / main.width;
    if (!Number.isInteger(positions) || positions > POSITIONS_MAX) throw new Error("the voice is too long");
    const states = await main.read(main.initial(), all);
    const layers = main.caches.map(({ name }) => headOf(states[name]!, positions));
    return { layers, positions };
  }

  async function preset(speaker: string): Promise<KnownVoice> {
    const path = files[PREFIX + speaker];
    if (path === undefined) throw new Error(`there is no voice ${speaker} in this package`);
    if (path.endsWith(".safetensors")) return publishedVoice(path, main.caches);
    const wav = parseWav(readFileSync(path), VOICE_SECONDS.max);
    if (wav === null) throw new Error(`the recording of ${speaker} is damaged`);
    return readRows(await encode(resample(wav.samples, wav.sampleRate, sampleRate)));
  }

  const kept = openKept();
  return {
    /** Of the task: its style, or else its speaker. */
    of: ({ style, speaker }: Pick<SynthesisTask, "style" | "speaker">): Promise<KnownVoice> =>
      style
        ? kept(`style ${style.id}`, () => readRows(rowsOf(style, main.width)))
        : kept(`preset ${speaker}`, () => preset(speaker)),

    /** States that begin after the voice. */
    begin({ layers, positions }: KnownVoice): States {
      const states = main.initial();
      for (const [layer, { name }] of main.caches.entries()) pour(layers[layer]!, states[name]!);
      for (const { name } of main.steps) (states[name]!.data as BigInt64Array)[0] = BigInt(positions);
      return states;
    },
  };
}

/** The caches of all layers, as Kyutai publishes them. */
function publishedVoice(path: string, caches: readonly State[]): KnownVoice {
  const tensors = readSafetensors(path);
  let positions = 0;
  const layers = caches.map(({ shape }, layer) => {
    const cache = tensors.get(`transformer.layers.${layer}.self_attn/cache`);
    const [, , count = 0] = cache?.shape ?? [];
    const isFitting =
      cache?.values instanceof Float32Array && cache.values.length === 2 * count * shape[3]! * shape[4]!;
    if (!cache || !isFitting || count > POSITIONS_MAX) throw new Error("the voice is of another model");
    positions = count;
    return cache.values as Float32Array;
  });
  return { layers, positions };
}

/** The voices that were used last, each made once, however many ask for it meanwhile. */
function openKept() {
  const kept = new Map<string, Promise<KnownVoice>>();
  let keptBytes = 0;
  return async (key: string, make: () => Promise<KnownVoice>): Promise<KnownVoice> => {
    const known = kept.get(key);
    if (known) {
      kept.delete(key);
      kept.set(key, known); // the last one used
      return known;
    }
    const made = make();
    kept.set(key, made);
    try {
      keptBytes += bytesOf(await made);
    } catch (error) {
      kept.delete(key);
      throw error;
    }
    for (const [oldest, voice] of kept) {
      if (keptBytes <= KEPT_BYTES_MAX || oldest === key) break;
      kept.delete(oldest);
      keptBytes -= bytesOf(await voice);
    }
    return made;
  };
}

function rowsOf({ data, shape }: VoiceStyle, width: number): Float32Array {
  if (shape.length !== 2 || shape[1] !== width || data.length === 0 || data.length !== shape[0]! * width)
    throw new Error("the voice was encoded for another model");
  return data;
}

/** The first positions of a cache [2, 1, positions, heads, values]. */
function headOf({ data, dims }: Tensor, positions: number): Float32Array {
  const values = data as Float32Array;
  const row = dims[3]! * dims[4]!;
  const half = values.length / 2;
  const head = new Float32Array(2 * positions * row);
  head.set(values.subarray(0, positions * row));
  head.set(values.subarray(half, half + positions * row), positions * row);
  return head;
}

function pour(head: Float32Array, { data }: Tensor): void {
  const values = data as Float32Array;
  values.set(head.subarray(0, head.length / 2));
  values.set(head.subarray(head.length / 2), values.length / 2);
}

const bytesOf = ({ layers }: KnownVoice) => layers.reduce((sum, { byteLength }) => sum + byteLength, 0);
