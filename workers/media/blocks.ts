/** Reads a recording without FFmpeg. Its format is detected from the bytes: MP3, FLAC, or Ogg with Opus, Vorbis or FLAC. */

import { ASR_SAMPLE_RATE } from "../../src/audio/rates.ts";
import { openFlac } from "./flac/flac-reader.ts";
import { openMp3 } from "./mp3/mp3-reader.ts";
import { tagBytes } from "./mp3/mpeg-frames.ts";
import { readOgg } from "./ogg/ogg-reader.ts";
import type { Block } from "./source/block.ts";
import { Cursor } from "./source/cursor.ts";
import { DecodeFailure, type Source } from "./source/source.ts";

/** `sampleRate`: what a codec that knows several rates decodes to. */
export function blocksOf(
  source: Source,
  sampleRate = ASR_SAMPLE_RATE,
): Iterable<Block> | AsyncIterable<Block> {
  const cursor = new Cursor(source);
  if (cursor.peek(4).toString("latin1") === "OggS") return readOgg(cursor, sampleRate);
  cursor.skip(tagBytes(cursor)); // some programs put a tag before FLAC, too
  const blocks = openFlac(cursor) ?? openMp3(cursor);
  if (blocks === null) throw new DecodeFailure("unreadable");
  return blocks;
}
