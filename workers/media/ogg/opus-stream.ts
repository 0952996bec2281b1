/** Opus in Ogg (RFC 7845), decoded by libopus at the rate that is needed, so that nothing is resampled. */
import { OpusDecoder } from "opus-decoder";
import { type Block, cut, XIPH_LAYOUTS } from "../source/block.ts";
import { DecodeFailure } from "../source/source.ts";
import type { OggStream } from "./ogg-stream.ts";

const GRANULE_RATE = 48_000; // whatever the rate of the recording was
const PACKET_BYTES_MAX = 61_440; // six frames of the largest size for each of the channels

/** `sampleRate`: 8, 12, 16, 24 or 48 kHz, which are the rates of the format. */
export async function openOpusStream(head: Uint8Array, sampleRate: number): Promise<OggStream> {
  const perGranule = sampleRate / GRANULE_RATE;
  const { layout, preSkip, gain } = parseHead(Buffer.from(head));
  const { positions, ...coding } = layout;
  const decoder = new OpusDecoder({ ...coding, preSkip: 0, sampleRate: sampleRate as 24_000 });
  await decoder.ready;
  const inputBytesMax = Math.min(PACKET_BYTES_MAX, 3840 * layout.channels); // the decoder's buffer
  let headers = 2; // OpusHead, OpusTags
  let skip = Math.round(preSkip * perGranule);
  return {
    decode(packet) {
      if (headers > 0) {
        headers--;
        return null;
      }
      if (packet.length === 0 || packet.length > inputBytesMax) return null;
      const { channelData, samplesDecoded } = decoder.decodeFrame(packet);
      if (samplesDecoded <= 0) return null;
      const skipped = Math.min(skip, samplesDecoded);
      skip -= skipped;
      const block = cut({ channels: channelData, sampleRate, layout: positions }, skipped, samplesDecoded);
      return amplified(block, gain);
    },
    endOf: (granule) => Math.round((granule - preSkip) * perGranule),
    close: () => decoder.free(),
  };
}

/** `gain`: what samples are multiplied by. */
function parseHead(head: Buffer) {
  const channels = head[9] ?? 0;
  if (head.length < 19 || channels < 1 || head[8]! >> 4 !== 0) throw new DecodeFailure("unreadable");
  const family = head[18]!;
  const gain = 10 ** (head.readInt16LE(16) / 256 / 20); // the field is in decibels, with 8 bits behind the point
  return { layout: layoutOf(head, channels, family), preSkip: head.readUInt16LE(10), gain };
}

function layoutOf(head: Buffer, channels: number, family: number) {
  if (family === 0) {
    if (channels > 2) throw new DecodeFailure("unreadable");
    return { channels, positions: null };
  }
  const [streamCount, coupledStreamCount] = [head[19], head[20]];
  const table = [...head.subarray(21, 21 + channels)];
  if (streamCount === undefined || coupledStreamCount === undefined || table.length < channels)
    throw new DecodeFailure("unreadable");
  if (channels > 8 || streamCount < 1 || coupledStreamCount > streamCount)
    throw new DecodeFailure("unreadable");
  const positions = family === 1 ? (XIPH_LAYOUTS[channels] ?? null) : null;
  return { channels, positions, streamCount, coupledStreamCount, channelMappingTable: table };
}

function amplified(block: Block, gain: number): Block {
  if (gain === 1) return block;
  return { ...block, channels: block.channels.map((samples) => samples.map((value) => value * gain)) };
}
