/** Encodes samples in WAV, MP3, FLAC, PCM, Opus and G.711, on the thread of the caller. */
import type { Encoder, EncoderOptions } from "./encoder.ts";
import type { ClipFormat } from "./formats.ts";
import { encodeAlaw, encodeUlaw } from "./g711.ts";
import { g711Header, toInt16, wavHeader } from "./pcm.ts";
import { Resampler } from "./resample/resample.ts";

type Format = Exclude<ClipFormat["format"], "aac" | "m4b">;

/** `outputRate`: what it is encoded at; absent: the rate of the samples. */
type Options = EncoderOptions & { outputRate?: number | undefined };

/** Codecs are loaded when first asked for. */
export async function openEncoder(format: Format, { outputRate, ...options }: Options): Promise<Encoder> {
  const { sampleRate, sampleCount } = options;
  if (outputRate === undefined || outputRate === sampleRate) return openCodec(format, options);
  const count = sampleCount === null ? null : Math.ceil((sampleCount * outputRate) / sampleRate);
  const encoder = await openCodec(format, { ...options, sampleRate: outputRate, sampleCount: count });
  const resampler = new Resampler(sampleRate, outputRate);
  return {
    encode: (samples) => encoder.encode(resampler.push(samples)),
    finish() {
      const rest = new Uint8Array(encoder.encode(resampler.finish()));
      const { tail, head } = encoder.finish();
      return { tail: Buffer.concat([rest, tail]), head };
    },
  };
}

async function openCodec(format: Format, options: EncoderOptions): Promise<Encoder> {
  switch (format) {
    case "mp3":
      return (await import("./mp3.ts")).openMp3(options);
    case "flac":
      return (await import("./flac.ts")).openFlac(options);
    case "opus":
      return (await import("./opus.ts")).openOpus(options);
    case "wav":
      return openPlain(options, toBytes, wavHeader);
    case "pcm":
      return openPlain(options, toBytes, null);
    case "ulaw":
      return openPlain(options, encodeUlaw, null);
    case "alaw":
      return openPlain(options, encodeAlaw, null);
    case "wav-ulaw":
      return openPlain(options, encodeUlaw, g711Header("ulaw"));
    case "wav-alaw":
      return openPlain(options, encodeAlaw, g711Header("alaw"));
  }
}

/** 16-bit little-endian samples. */
const toBytes = (samples: Float32Array) => new Uint8Array(toInt16(samples).buffer);

type Header = ((sampleCount: number | null, sampleRate: number) => Uint8Array) | null;

/** Samples each by itself, behind a header or none. */
function openPlain(
  { sampleRate, sampleCount }: EncoderOptions,
  bytesOf: (samples: Float32Array) => Uint8Array,
  header: Header,
): Encoder {
  let count = 0;
  let owed = header?.(sampleCount, sampleRate) ?? new Uint8Array(0);
  const behindHeader = (bytes: Uint8Array): Uint8Array => {
    const whole = owed.length > 0 ? Buffer.concat([owed, bytes]) : bytes;
    owed = new Uint8Array(0);
    return whole;
  };
  return {
    encode(samples) {
      count += samples.length;
      return behindHeader(bytesOf(samples));
    },
    finish: () => ({ tail: behindHeader(new Uint8Array(0)), head: header?.(count, sampleRate) ?? null }),
  };
}
