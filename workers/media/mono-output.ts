/** Writes blocks to stdout as mono s16le at one rate; a recording beyond the limit ends everything at once. */
import { toInt16 } from "../../src/audio/pcm.ts";
import { Downmix } from "../../src/audio/reading/downmix.ts";
import { Resampler } from "../../src/audio/resample/resample.ts";
import type { Block } from "./source/block.ts";
import { DecodeFailure } from "./source/source.ts";
import { type Upload, writeAll } from "./source/upload.ts";

const HELD_SAMPLES = 128 * 1024; // written at once

type Limits = Pick<Upload, "maxSamples" | "sampleRate">;
/** What blocks of one shape go through. */
type Way = { rate: number; channels: number; downmix: Downmix; resampler: Resampler | null };

export function openMonoOutput({ maxSamples, sampleRate: target }: Limits) {
  let way: Way | null = null;
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
  const mixed = ({ resampler }: Way, mono: Float32Array) => put(resampler ? resampler.push(mono) : mono);
  const finishWay = () => {
    if (way === null) return;
    mixed(way, way.downmix.finish());
    if (way.resampler !== null) put(way.resampler.finish());
    way = null;
  };
  return {
    write({ channels, sampleRate, layout }: Block): void {
      const length = channels[0]?.length ?? 0;
      if (length === 0) return;
      const tooMany = (length / sampleRate) * target > maxSamples - count + target;
      if (tooMany) throw new DecodeFailure("tooLong"); // before room is made for them
      if (way?.rate !== sampleRate || way.channels !== channels.length) finishWay();
      way ??= {
        rate: sampleRate,
        channels: channels.length,
        downmix: new Downmix(channels.length, sampleRate, layout),
        resampler: sampleRate === target ? null : new Resampler(sampleRate, target),
      };
      mixed(way, way.downmix.push(channels));
    },
    finish(): void {
      finishWay();
      flush();
      if (count === 0) throw new DecodeFailure("empty");
    },
  };
}
