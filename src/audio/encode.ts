/** Encodes samples in WAV, MP3, FLAC, PCM and Opus, on the thread of the caller. */
import type { Encoder, EncoderOptions } from "./encoder.ts";
import type { AudioFormat } from "./formats.ts";
import { toInt16 } from "./pcm.ts";
import { wavHeader } from "./wav.ts";

/** Codecs are loaded when first asked for. */
export async function openEncoder(format: AudioFormat, options: EncoderOptions): Promise<Encoder> {
  switch (format) {
    case "mp3":
      return (await import("./mp3.ts")).openMp3(options);
    case "flac":
      return (await import("./flac.ts")).openFlac(options);
    case "opus":
      return (await import("./opus.ts")).openOpus(options);
    case "wav":
      return openPlain(options, wavHeader);
    case "pcm":
      return openPlain(options, null);
  }
}

type Header = ((sampleCount: number | null, sampleRate: number) => Uint8Array) | null;

/** 16-bit little-endian samples, behind a header or none. */
function openPlain({ sampleRate, sampleCount }: EncoderOptions, header: Header): Encoder {
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
      return behindHeader(new Uint8Array(toInt16(samples).buffer));
    },
    finish: () => ({ tail: behindHeader(new Uint8Array(0)), head: header?.(count, sampleRate) ?? null }),
  };
}
