/**
 * Reads Ogg recordings: the first Opus, Vorbis or FLAC stream, and those that follow it in the same file.
 *
 *   first page: which codec ──> headers ──> packets … ──> last page: its granule position is where the sound ends
 *
 * Those of other pages tell where pages are missing.
 */

import type { DecodeReport } from "../../../src/engine/media/decode-report.ts";
import { parseStreamInfo, readFlacFrame, STREAM_INFO_BYTES } from "../flac/flac-frame.ts";
import { type Block, cut, GAP_SECONDS, GAP_SECONDS_MAX, silenceLike } from "../source/block.ts";
import type { Cursor } from "../source/cursor.ts";
import { DecodeFailure, restBehind } from "../source/source.ts";
import { type OggPage, oggPages } from "./ogg-pages.ts";
import type { OggStream } from "./ogg-stream.ts";
import { openOpusStream } from "./opus-stream.ts";
import { openVorbisStream } from "./vorbis-stream.ts";

type Current = {
  serial: number;
  stream: OggStream;
  /** Samples so far. */
  count: number;
  /** Where the stream begins by its granule positions, in samples; null before the first page with sound. */
  start: number | null;
  isOver: boolean;
};

export async function* readOgg(
  cursor: Cursor,
  sampleRate: number,
  report: DecodeReport,
): AsyncGenerator<Block> {
  let isOgg = false;
  let otherCodec: string | undefined;
  let current: Current | null = null;
  let end = 0;
  for (const page of oggPages(cursor)) {
    isOgg = true;
    end = cursor.position;
    if (page.isFirst && (current === null || current.isOver || current.start !== null)) {
      const stream = await openStream(page.packets[0], sampleRate);
      otherCodec ??= nameOf(page.packets[0]);
      if (stream === null && current !== null && otherCodec !== undefined) {
        report.unreadBytes = cursor.source.sizeBytes - cursor.position;
        return;
      }
      if (stream === null) continue;
      current?.stream.close();
      current = { serial: page.serial, stream, count: 0, start: null, isOver: false };
    }
    if (current === null || page.serial !== current.serial || current.isOver) continue;
    current.isOver = page.isLast;
    yield* blocksOf(page, current, report);
  }
  report.unreadBytes = restBehind(cursor.source, end);
  if (current !== null) return;
  if (otherCodec !== undefined) throw new DecodeFailure("unsupported", otherCodec);
  throw new DecodeFailure(isOgg ? "noAudio" : "unreadable");
}

/** The sound that ends in a page, and silence in place of what is missing before it. */
function* blocksOf(page: OggPage, current: Current, report: DecodeReport): Generator<Block> {
  const blocks = page.packets.flatMap((packet) => current.stream.decode(packet) ?? []);
  const [first] = blocks;
  if (first === undefined) return;
  const length = blocks.reduce((sum, { channels }) => sum + channels[0]!.length, 0);
  const end = page.granule < 0 ? null : current.stream.endOf(page.granule);
  current.start ??= end === null || page.isLast ? 0 : Math.max(0, end - length);
  const missing = end === null ? 0 : end - current.start - current.count - length;
  if (!page.isLast && missing < -GAP_SECONDS * first.sampleRate) current.start += missing; // pages that are there twice
  if (missing > GAP_SECONDS * first.sampleRate && missing < GAP_SECONDS_MAX * first.sampleRate) {
    yield* silenceLike(first, missing);
    report.lostSeconds = (report.lostSeconds ?? 0) + missing / first.sampleRate;
    current.count += missing;
  }
  let left = page.isLast && end !== null ? end - current.start - current.count : Number.POSITIVE_INFINITY;
  for (const block of blocks) {
    const size = block.channels[0]!.length;
    yield cut(block, 0, Math.min(size, Math.max(0, left)));
    current.count += size;
    left -= size;
  }
}

const beginningOf = (packet: Uint8Array = new Uint8Array(0)) => Buffer.from(packet).toString("latin1", 0, 8);

/** Of sound that is not read here. */
const nameOf = (packet: Uint8Array | undefined): string | undefined =>
  beginningOf(packet) === "Speex   " ? "Speex" : undefined;

/** By the first packet of a stream; null for another codec. */
async function openStream(packet: Uint8Array | undefined, sampleRate: number): Promise<OggStream | null> {
  const name = beginningOf(packet);
  if (name === "OpusHead") return openOpusStream(packet!, sampleRate);
  if (name.startsWith("\x01vorbis")) return openVorbisStream(packet!);
  if (name.startsWith("\x7fFLAC")) return openFlacStream(packet!);
  return null;
}

const STREAM_INFO_AT = 17; // behind the header of the mapping, "fLaC" and the header of the block
const FRAME = 0xff; // no block begins so

/** FLAC in Ogg: a packet for each metadata block and each frame (RFC 9639, section 10.1). */
function openFlacStream(head: Uint8Array): OggStream {
  const info = parseStreamInfo(head.subarray(STREAM_INFO_AT, STREAM_INFO_AT + STREAM_INFO_BYTES));
  return {
    decode: (packet) => (packet[0] === FRAME ? readFlacFrame(packet, info) : null),
    endOf: (granule) => granule,
    close: () => {},
  };
}
