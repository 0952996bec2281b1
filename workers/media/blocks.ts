/** Reads a recording without FFmpeg. Its format is detected from the bytes: MP3, FLAC, or Ogg with Opus, Vorbis or FLAC. */

import { ASR_SAMPLE_RATE } from "../../src/audio/rates.ts";
import type { DecodeReport } from "../../src/engine/media/decode-report.ts";
import { openFlac } from "./flac/flac-reader.ts";
import { openMp3 } from "./mp3/mp3-reader.ts";
import { tagBytes } from "./mp3/mpeg-frames.ts";
import { readOgg } from "./ogg/ogg-reader.ts";
import type { Block } from "./source/block.ts";
import { Cursor } from "./source/cursor.ts";
import { bareFormat, formatBeyondOurs, likelyFormat } from "./source/known-formats.ts";
import { DecodeFailure, type Source } from "./source/source.ts";

/** `sampleRate`: what a codec that knows several rates decodes to. `report`: gets what is missing. */
export function blocksOf(
  source: Source,
  sampleRate = ASR_SAMPLE_RATE,
  report: DecodeReport = {},
): Iterable<Block> | AsyncIterable<Block> {
  const found = formatBeyondOurs(source);
  if (found !== undefined) throw new DecodeFailure("unsupported", found);
  const cursor = new Cursor(source);
  if (cursor.peek(4).toString("latin1") === "OggS") return readOgg(cursor, sampleRate, report);
  cursor.skip(tagBytes(cursor)); // some programs put a tag before FLAC, too
  const blocks = openFlac(cursor, report) ?? openMp3(cursor, report);
  const isBehindOther = cursor.position > 0 && bareFormat(source) !== undefined; // MP3 that is joined to it
  if (blocks === null || isBehindOther) throw refusalOf(source);
  return blocks;
}

function refusalOf(source: Source): DecodeFailure {
  const found = likelyFormat(source);
  return found === undefined ? new DecodeFailure("unreadable") : new DecodeFailure("unsupported", found);
}
