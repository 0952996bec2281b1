/**
 * Resamples the frames of one track, mixes their channels and writes them out as mono s16le. A recording beyond the limit
 * ends everything at once.
 *
 *   one channel     frame ──> resampled, 16 bits ───────────────────────────┐
 *   more channels   frame ──> resampled, each ──> downmix ──> 16 bits ──────┴──> stdout
 *
 * Silence at the beginning is counted until something else comes, so that nothing of a silent track is written.
 */
import {
  AV_CHANNEL_ORDER_NATIVE,
  AV_SAMPLE_FMT_FLTP,
  AV_SAMPLE_FMT_S16,
  AVERROR_INPUT_CHANGED,
} from "node-av/constants";
import { type ChannelLayout, Frame, SoftwareResampleContext } from "node-av/lib";
import { toInt16 } from "../../../src/audio/pcm.ts";
import { Downmix, layoutOf } from "../../../src/audio/reading/downmix.ts";
import { DecodeFailure } from "../source/source.ts";
import { type Upload, writeAll } from "../source/upload.ts";

const OUT_BYTES = 256 * 1024; // written at once: one frame at a time costs a fifth of the whole
const FILTER_TAPS = 64; // what would alias falls below 16 bits; the default of 32 leaves it at -26 dB
const CHANNELS_MAX = 64;
const SILENT = 8; // of 32,768: what codecs make of nothing

type Options = Pick<Upload, "maxSamples" | "sampleRate"> & {
  /** Whether silence at the beginning is held back, as nothing but zeros. */
  holdsSilence: boolean;
};
/** What frames of one shape are resampled with. Each call of the library, and each view of its memory, costs as much as a few samples. */
type Resampler = {
  swr: SoftwareResampleContext;
  /** Given to frames that do not say where their channels are, which the library takes for others each time; null: they say it. */
  layout: ChannelLayout | null;
  /** Mixes the channels; null where there is one. */
  downmix: Downmix | null;
  /** Takes what was resampled. */
  frame: Frame;
  /** Its bytes, of each channel. */
  planes: Buffer[];
  /** The longest frame for which it has room. */
  longest: number;
};

export class Output {
  /** Samples, written or held. */
  count = 0;
  #heldSilence = 0;
  #isSilent: boolean;
  #resampler: Resampler | null = null;
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
    this.#resampler ??= this.#open(frame);
    if (this.#convert(this.#resampler, frame) !== AVERROR_INPUT_CHANGED) return;
    this.#finishShape();
    this.#resampler = this.#open(frame);
    this.#convert(this.#resampler, frame);
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
    const resampler = this.#resampler;
    if (resampler === null) return;
    for (let before = -1; before !== this.count; ) {
      before = this.count;
      this.#convert(resampler, null);
    }
    if (resampler.downmix) this.#put(toInt16(resampler.downmix.finish()));
    this.#resampler = null;
  }

  #open(input: Frame): Resampler {
    const { channels, format, sampleRate } = input;
    if (channels < 1 || channels > CHANNELS_MAX || sampleRate < 1) throw new DecodeFailure("unreadable");
    const isNamed = input.channelLayout.order === AV_CHANNEL_ORDER_NATIVE;
    const channelLayout = isNamed ? input.channelLayout : layoutFor(channels);
    const target = this.options.sampleRate;
    const isMono = channels === 1;
    const frame = new Frame();
    frame.alloc();
    frame.format = isMono ? AV_SAMPLE_FMT_S16 : AV_SAMPLE_FMT_FLTP;
    frame.sampleRate = target;
    frame.channelLayout = channelLayout;
    const swr = new SoftwareResampleContext();
    const set = swr.allocSetOpts2(
      frame.channelLayout,
      frame.format,
      target,
      channelLayout,
      format as never,
      sampleRate,
    );
    if (set < 0) throw new DecodeFailure("unreadable");
    swr.setOption("filter_size", FILTER_TAPS);
    if (swr.init() < 0) throw new DecodeFailure("unreadable");
    const downmix = isMono
      ? null
      : new Downmix(channels, target, isNamed ? layoutOf(channelLayout.mask) : null);
    return { swr, layout: isNamed ? null : channelLayout, downmix, frame, planes: [], longest: 0 };
  }

  /** `input` null: the filters are to be emptied. Returns what the library does. */
  #convert(resampler: Resampler, input: Frame | null): number {
    const { swr, downmix, frame } = resampler;
    const length = input?.nbSamples ?? 0;
    if (length > resampler.longest) enlarge(resampler, length);
    if (input && resampler.layout) input.channelLayout = resampler.layout;
    frame.nbSamples = 0; // all of its room
    const status = swr.convertFrame(frame, input);
    const made = status < 0 ? 0 : frame.nbSamples;
    if (made === 0) return status;
    if (downmix) {
      const planes = resampler.planes.map(
        ({ buffer, byteOffset }) => new Float32Array(buffer, byteOffset, made),
      );
      this.#put(toInt16(downmix.push(planes)));
    } else {
      this.#makeRoom(made);
      resampler.planes[0]!.copy(this.#room, this.#heldBytes, 0, made * 2);
      this.#keep(made);
    }
    return status;
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

const layoutFor = (channels: number): ChannelLayout => ({
  nbChannels: channels,
  order: AV_CHANNEL_ORDER_NATIVE,
  mask: (1n << BigInt(channels)) - 1n,
});

/** For an input of that length, and what the filters hold. */
function enlarge(resampler: Resampler, length: number): void {
  const { swr, frame } = resampler;
  const { format, sampleRate, channelLayout } = frame;
  frame.unref();
  Object.assign(frame, { format, sampleRate, channelLayout, nbSamples: swr.getOutSamples(length) });
  if (frame.getBuffer() < 0) throw new DecodeFailure("unreadable");
  resampler.planes = frame.extendedData ?? [];
  resampler.longest = length;
}

const bytesOf = (samples: Float32Array | Int16Array) =>
  Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength);

function writeZeros(sampleCount: number): void {
  const zeros = Buffer.alloc(Math.min(OUT_BYTES, sampleCount * 2));
  for (let left = sampleCount * 2; left > 0; left -= zeros.length) writeAll(zeros.subarray(0, left));
}
