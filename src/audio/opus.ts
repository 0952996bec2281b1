/**
 * Ogg Opus (RFC 7845): 20 ms packets at 24 kHz mono. The pre-skip covers the encoder's look-ahead and the last
 * granule position cuts the padding of the last packet, so a decoder gives back exactly the samples that came in.
 */
import { Encoder as OpusEncoder } from "@evan/opus";
import type { Encoder, EncoderOptions } from "./encoder.ts";
import { OggWriter } from "./ogg.ts";
import { toInt16 } from "./pcm.ts";

const BITRATE = 40_000;
const PACKET_MS = 20;
const PACKETS_PER_PAGE = 5; // 100 ms: what a stream holds back at most, for 6 % more bytes
const GRANULE_RATE = 48_000; // Opus counts at this rate whatever the input's
const PRE_SKIP = 312; // the encoder's look-ahead of 6.5 ms

export async function openOpus({ sampleRate, bitrate = BITRATE }: EncoderOptions): Promise<Encoder> {
  const opus = new OpusEncoder({ channels: 1, sample_rate: sampleRate as 24_000, application: "audio" });
  opus.bitrate = bitrate;
  const ogg = new OggWriter(PACKETS_PER_PAGE);
  const packetSamples = (sampleRate * PACKET_MS) / 1000;
  const granules = GRANULE_RATE / sampleRate;
  let pending = new Int16Array(0);
  let count = 0;
  let encoded = 0;
  let begun = false;

  function* pages(samples: Int16Array): Generator<Uint8Array> {
    if (!begun) yield* [ogg.header(identification(sampleRate)), ogg.header(comments())];
    begun = true;
    pending = joined(pending, samples);
    let offset = 0;
    for (; offset + packetSamples <= pending.length; offset += packetSamples) {
      encoded += packetSamples;
      const packet = opus.encode(pending.slice(offset, offset + packetSamples)).slice();
      const page = ogg.packet(packet, BigInt(encoded * granules));
      if (page) yield page;
    }
    pending = pending.slice(offset);
  }

  return {
    encode(samples) {
      count += samples.length;
      return Buffer.concat([...pages(toInt16(samples))]);
    },
    finish() {
      const end = count * granules + PRE_SKIP;
      const missing = Math.ceil(end / granules / packetSamples) * packetSamples - encoded - pending.length;
      const last = [...pages(new Int16Array(missing))];
      return { tail: Buffer.concat([...last, ogg.finish(BigInt(end))]), head: null };
    },
  };
}

function identification(sampleRate: number): Uint8Array {
  const head = Buffer.alloc(19);
  head.write("OpusHead", 0, "latin1");
  head[8] = 1; // version
  head[9] = 1; // channels
  head.writeUInt16LE(PRE_SKIP, 10);
  head.writeUInt32LE(sampleRate, 12);
  return head;
}

function comments(): Uint8Array {
  const vendor = Buffer.from("loquat");
  const tags = Buffer.alloc(16 + vendor.length);
  tags.write("OpusTags", 0, "latin1");
  tags.writeUInt32LE(vendor.length, 8);
  tags.set(vendor, 12);
  return tags;
}

function joined(a: Int16Array, b: Int16Array): Int16Array<ArrayBuffer> {
  const both = new Int16Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}
