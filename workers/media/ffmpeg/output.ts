/**
 * Resamples the frames of one track, mixes their channels and writes them out as mono s16le. A recording beyond the limit
 * ends everything at once.
 *
 *   one channel     frame ──> resampled, 16 bits ───────────────────────────┐
 *   more channels   frame ──> resampled, each ──> downmix ──> 16 bits ──────┴──> stdout
 *
 * Silence at the beginning is counted until something else comes, so that nothing of a silent track is written.
 */
import { AV_CHANNEL_LAYOUT_MONO, AV_SAMPLE_FMT_FLTP, AV_SAMPLE_FMT_S16 } from "node-av/constants";
import { type Frame, SoftwareResampleContext } from "node-av/lib";
import { toInt16 } from "../../../src/audio/pcm.ts";
import { Downmix, layoutOf } from "../../../src/audio/reading/downmix.ts";
import { DecodeFailure } from "../source/source.ts";
import { type Upload, writeAll } from "../source/upload.ts";

const OUT_BYTES = 256 * 1024; // written at once: one frame at a time costs a fifth of the whole
const FILTER_TAPS = 64; // what would alias falls below 16 bits; the default of 32 leaves it at -26 dB
const CHANNELS_MAX = 64;
const NATIVE_ORDER = 1; // of the channels: that of the mask's bits
const SILENT = 8; // of 32,768: what codecs make of nothing

type Options = Pick<Upload, "maxSamples" | "sampleRate"> & {
  /** Whether silence at the beginning is held back, as nothing but zeros. */
  holdsSilence: boolean;
};
type Shape = { sampleRate: number; format: number; channels: number };

export class Output {
  /** Samples, written or held. */
  count = 0;
  #heldSilence = 0;
  #isSilent: boolean;
  #shape: Shape | null = null;
  #swr: SoftwareResampleContext | null = null;
  #downmix: Downmix | null = null;
  /** Samples of each channel. */
  #planes: Float32Array[] = [];
  #room = Buffer.alloc(OUT_BYTES);
  #heldBytes = 0;

  constructor(readonly options: Options) {
    this.#isSilent = options.holdsSilence;
  }

  /** Nothing was written, because there was nothing to hear. */
  get isSilent(): boolean {
    return this.#isSilent;
  }

  write(frame: Frame): void {
    const { sampleRate, format, channels } = frame;
    const shape = this.#shape;
    if (shape?.sampleRate !== sampleRate || shape.format !== format || shape.channels !== channels) {
      this.#finishShape();
      this.#open(frame);
      this.#shape = { sampleRate, format, channels };
    }
    this.#convert(frame.extendedData ?? frame.data, frame.nbSamples);
  }

  silence(sampleCount: number): void {
    this.#finishShape(); // what the filters hold comes before
    this.#add(sampleCount);
    if (this.#isSilent) {
      this.#heldSilence += sampleCount;
      return;
    }
    this.#flush();
    writeZeros(sampleCount);
  }

  /** Writes the rest. */
  finish(): void {
    this.#finishShape();
    this.#flush();
  }

  writeHeldSilence(): void {
    writeZeros(this.#heldSilence);
  }

  #finishShape(): void {
    if (this.#swr) this.#convert(null, 0);
    if (this.#downmix) this.#put(toInt16(this.#downmix.finish()));
    this.#swr = null;
    this.#downmix = null;
    this.#shape = null;
  }

  #open({ channels, channelLayout, format, sampleRate }: Frame): void {
    if (channels < 1 || channels > CHANNELS_MAX || sampleRate < 1) throw new DecodeFailure("unreadable");
    const target = this.options.sampleRate;
    const isMono = channels === 1;
    const swr = new SoftwareResampleContext();
    const set = swr.allocSetOpts2(
      isMono ? AV_CHANNEL_LAYOUT_MONO : channelLayout,
      isMono ? AV_SAMPLE_FMT_S16 : AV_SAMPLE_FMT_FLTP,
      target,
      channelLayout,
      format as never,
      sampleRate,
    );
    if (set < 0) throw new DecodeFailure("unreadable");
    swr.setOption("filter_size", FILTER_TAPS);
    if (swr.init() < 0) throw new DecodeFailure("unreadable");
    const layout = channelLayout.order === NATIVE_ORDER ? layoutOf(channelLayout.mask) : null;
    this.#downmix = isMono ? null : new Downmix(channels, target, layout);
    this.#swr = swr;
    this.#planes = Array.from({ length: isMono ? 0 : channels }, () => new Float32Array(0));
  }

  /** `data` null: the filters are to be emptied. */
  #convert(data: Buffer[] | null, frames: number): void {
    const swr = this.#swr!;
    const expected = swr.getOutSamples(frames);
    if (this.#downmix === null) {
      this.#makeRoom(expected);
      const made = swr.convertSync([this.#room.subarray(this.#heldBytes)], expected, data, frames);
      if (made > 0) this.#keep(made);
      return;
    }
    if (this.#planes[0]!.length < expected) this.#planes = this.#planes.map(() => new Float32Array(expected));
    const made = swr.convertSync(this.#planes.map(bytesOf), expected, data, frames);
    if (made <= 0) return;
    this.#put(toInt16(this.#downmix.push(this.#planes.map((plane) => plane.subarray(0, made)))));
  }

  #put(samples: Int16Array): void {
    this.#makeRoom(samples.length);
    this.#room.set(bytesOf(samples), this.#heldBytes);
    this.#keep(samples.length);
  }

  /** Samples that are in the room, behind those that it holds. */
  #keep(sampleCount: number): void {
    this.#add(sampleCount);
    if (this.#isSilent) {
      const { buffer, byteOffset } = this.#room;
      const samples = new Int16Array(buffer, byteOffset + this.#heldBytes, sampleCount);
      if (!samples.some((sample) => Math.abs(sample) > SILENT)) {
        this.#heldSilence += sampleCount;
        return;
      }
      this.#isSilent = false;
      this.writeHeldSilence();
    }
    this.#heldBytes += sampleCount * 2;
  }

  #add(sampleCount: number): void {
    this.count += sampleCount;
    if (this.count > this.options.maxSamples) throw new DecodeFailure("tooLong");
  }

  #makeRoom(sampleCount: number): void {
    if (this.#heldBytes + sampleCount * 2 > this.#room.length) this.#flush();
    if (sampleCount * 2 > this.#room.length) this.#room = Buffer.alloc(sampleCount * 2);
  }

  #flush(): void {
    writeAll(this.#room.subarray(0, this.#heldBytes));
    this.#heldBytes = 0;
  }
}

const bytesOf = (samples: Float32Array | Int16Array) =>
  Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength);

function writeZeros(sampleCount: number): void {
  const zeros = Buffer.alloc(Math.min(OUT_BYTES, sampleCount * 2));
  for (let left = sampleCount * 2; left > 0; left -= zeros.length) writeAll(zeros.subarray(0, left));
}
