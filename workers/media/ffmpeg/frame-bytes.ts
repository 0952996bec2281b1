/**
 * Counts the bytes of a file of bare frames, such as ADTS or AC-3, that became no sound. Such files have neither times nor
 * lengths, so that FFmpeg passes over damage without a word: it leaves it out, or puts it before the frame behind it.
 */
import type { Source } from "../source/source.ts";

const TAGS = ["ID3", "TAG", "APETAGEX", "LYRICSBEGIN"];
/** No frame is longer. Layer II has 1729 at most, AC-3 3840. */
const FRAME_BYTES: Record<string, number> = { mp3: 1729, mpegvideo: 1729, ac3: 4096, eac3: 4096 };
const OTHER_FRAME_BYTES = 16_384; // DTS

/** Of a packet in the file, in bytes; `start` is negative where it is not known. */
export type Place = { start: number; size: number };

export class FrameBytes {
  #decoded = 0;
  #lost = 0;
  /** Behind the last packet; null before the first. */
  #position: number | null = null;
  readonly #frameBytes: number;

  constructor(
    readonly source: Source,
    format: string,
  ) {
    this.#frameBytes = FRAME_BYTES[format] ?? OTHER_FRAME_BYTES;
  }

  /** A packet, and whether it became sound. */
  add({ start, size }: Place, isDecoded: boolean): void {
    this.#passOver(this.#position ?? start, start);
    this.#position = start + size;
    if (!isDecoded) this.#passOver(start, start + size);
    else if (size > this.#frameBytes) this.#passOver(start, start + size - this.#frameBytes);
    if (isDecoded) this.#decoded += Math.min(size, this.#frameBytes);
  }

  /** Of the sound that was decoded. */
  lostPart(): number {
    const end = this.source.sizeBytes;
    this.#passOver(this.#position ?? end, end);
    return this.#decoded === 0 ? 0 : this.#lost / this.#decoded;
  }

  #passOver(start: number, end: number): void {
    if (end <= start) return;
    const bytes = this.source.read(start, end - start);
    if (!TAGS.some((tag) => bytes.includes(tag, 0, "latin1"))) this.#lost += end - start;
  }
}
