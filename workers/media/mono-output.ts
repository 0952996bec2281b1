/** Writes blocks to stdout as mono s16le at one rate; a recording beyond the limit ends everything at once. */
import { toInt16 } from "../../src/audio/pcm.ts";
import { Resampler } from "../../src/audio/resample.ts";
import type { Block } from "./source/block.ts";
import { DecodeFailure } from "./source/source.ts";
import { type Upload, writeAll } from "./upload.ts";

const HELD_SAMPLES = 128 * 1024; // written at once

export function openMonoOutput({ maxSamples, sampleRate: target }: Omit<Upload, "source">) {
  let resampler: Resampler | null = null;
  let rate = 0;
  let count = 0;
  let held: Int16Array[] = [];
  let heldCount = 0;
  const flush = () => {
    for (const samples of held)
      writeAll(new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength));
    held = [];
    heldCount = 0;
  };
  const put = (samples: Float32Array) => {
    count += samples.length;
    heldCount += samples.length;
    if (count > maxSamples) throw new DecodeFailure("tooLong");
    held.push(toInt16(samples));
    if (heldCount >= HELD_SAMPLES) flush();
  };
  const finishRate = () => {
    if (resampler !== null) put(resampler.finish());
    resampler = null;
  };
  return {
    write({ channels, sampleRate }: Block): void {
      const length = channels[0]?.length ?? 0;
      if (length === 0) return;
      const tooMany = (length / sampleRate) * target > maxSamples - count + target;
      if (tooMany) throw new DecodeFailure("tooLong"); // before room is made for them
      if (sampleRate !== rate) finishRate();
      if (sampleRate !== rate && sampleRate !== target) resampler = new Resampler(sampleRate, target);
      rate = sampleRate;
      const mono = meanOf(channels);
      put(resampler === null ? mono : resampler.push(mono));
    },
    finish(): void {
      finishRate();
      flush();
      if (count === 0) throw new DecodeFailure("empty");
    },
  };
}

/** Not the sum, which would be louder than its input. */
function meanOf(channels: Float32Array[]): Float32Array {
  if (channels.length === 1) return channels[0]!;
  return channels[0]!.map(
    (_, i) => channels.reduce((sum, samples) => sum + samples[i]!, 0) / channels.length,
  );
}
