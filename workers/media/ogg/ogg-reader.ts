/**
 * Reads Ogg recordings: the first Opus, Vorbis or FLAC stream, and those that follow it in the same file.
 *
 *   first page: which codec ──> headers ──> packets … ──> last page: its granule position is where the sound ends
 */

import { type Block, cut } from "../source/block.ts";
import type { Cursor } from "../source/cursor.ts";
import { DecodeFailure } from "../source/source.ts";
import { openFlacStream } from "./flac-stream.ts";
import { oggPages } from "./ogg-pages.ts";
import type { OggStream } from "./ogg-stream.ts";
import { openOpusStream } from "./opus-stream.ts";
import { openVorbisStream } from "./vorbis-stream.ts";

export async function* readOgg(cursor: Cursor, sampleRate: number): AsyncGenerator<Block> {
  let isOgg = false;
  let current: { serial: number; stream: OggStream; count: number; isOver: boolean } | null = null;
  for (const page of oggPages(cursor)) {
    isOgg = true;
    if (page.isFirst && (current === null || current.isOver)) {
      const stream = await openStream(page.packets[0], sampleRate);
      if (stream === null) continue;
      current?.stream.close();
      current = { serial: page.serial, stream, count: 0, isOver: false };
    }
    if (current === null || page.serial !== current.serial || current.isOver) continue;
    current.isOver = page.isLast;
    const end =
      page.isLast && page.granule >= 0 ? current.stream.endOf(page.granule) : Number.POSITIVE_INFINITY;
    for (const packet of page.packets) {
      const block = current.stream.decode(packet);
      if (block === null) continue;
      const length = block.channels[0]?.length ?? 0;
      yield cut(block, 0, Math.min(length, Math.max(0, end - current.count)));
      current.count += length;
    }
  }
  if (current === null) throw new DecodeFailure(isOgg ? "noAudio" : "unreadable");
}

/** By the first packet of a stream; null for another codec. */
async function openStream(packet: Uint8Array | undefined, sampleRate: number): Promise<OggStream | null> {
  const name = Buffer.from(packet ?? []).toString("latin1", 0, 8);
  if (name === "OpusHead") return openOpusStream(packet!, sampleRate);
  if (name.startsWith("\x01vorbis")) return openVorbisStream(packet!);
  if (name.startsWith("\x7fFLAC")) return openFlacStream(packet!);
  return null;
}
