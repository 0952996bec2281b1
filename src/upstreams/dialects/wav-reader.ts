/**
 * Reads audio that a server sends while it makes it: PCM without a header, or a WAV file whose header cannot be true.
 *
 *   RIFF (any size) … fmt … data (any size) samples … RIFF … data samples … LIST …
 *                                           ███████                ███████    only these are audio
 *
 * No length is believed, except that known chunks right after a declared end are not audio. Any chunking of the same bytes
 * gives the same samples.
 */
import { joinAll } from "../../audio/pcm.ts";
import { Downmix, type Layout, layoutOf } from "../../audio/reading/downmix.ts";
import { UpstreamFailure } from "../transport/failure.ts";

type Format = { rate: number; channels: number; bytes: number; isFloat: boolean; layout: Layout | null };

const HEAD_MAX = 64 * 1024;
const TAGS_AFTER = ["LIST", "id3 ", "ID3 ", "bext", "cue ", "fact", "smpl", "JUNK", "PEAK", "iXML"];
const UNTRUE_SIZE = 0x7000_0000; // nothing that is spoken is so long
const MARKER_BYTES = 12;

export class WavReader {
  #held = new Uint8Array(0);
  #state: "start" | "head" | "data" | "after" = "start";
  #format: Format | null;
  #hasHeader = false;
  /** Null for PCM without a header, which has one channel. */
  #downmix: Downmix | null = null;
  /** Bytes of the data chunk that were read, and how many its header declares; null where that cannot be true. */
  #read = 0;
  #declared: number | null = null;

  /** `rate`: of PCM without a header; null where it must have one. */
  constructor(rate: number | null) {
    this.#format = rate === null ? null : { rate, channels: 1, bytes: 2, isFloat: false, layout: null };
  }

  get rate(): number | null {
    return this.#format?.rate ?? null;
  }

  push(bytes: Uint8Array): Float32Array {
    this.#held = this.#held.length === 0 ? bytes.slice() : Buffer.concat([this.#held, bytes]);
    return this.#take(false);
  }

  finish(): Float32Array {
    return this.#take(true);
  }

  #take(isEnd: boolean): Float32Array {
    const parts: Float32Array[] = [];
    while (this.#step(parts, isEnd));
    if (isEnd && this.#state === "head") throw untrue("it ended in a header");
    if (isEnd && this.#downmix !== null) parts.push(this.#downmix.finish());
    return joinAll(parts);
  }

  /** False: there is nothing more to do with these bytes. */
  #step(parts: Float32Array[], isEnd: boolean): boolean {
    switch (this.#state) {
      case "start":
        return this.#start(isEnd);
      case "head":
        return this.#head(parts);
      case "data":
        return this.#read === this.#declared ? this.#follow(isEnd) : this.#data(parts, isEnd);
      case "after":
        return this.#skip();
    }
  }

  #start(isEnd: boolean): boolean {
    if (this.#held.length < MARKER_BYTES && !isEnd) return false;
    if (this.#held.length === 0) return false;
    const begins = (tag: string) => tagAt(this.#held, 0) === tag;
    if (begins("RIFF") || begins("RF64")) this.#state = "head";
    else if (this.#format === null || isOtherFormat(this.#held)) throw untrue("it is no WAV file and no PCM");
    else this.#state = "data";
    return true;
  }

  /** Reads chunks up to the data. */
  #head(parts: Float32Array[]): boolean {
    const bytes = this.#held;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    let format: Format | null = null;
    for (let offset = 12; offset + 8 <= bytes.length; ) {
      const tag = tagAt(bytes, offset);
      const size = view.getUint32(offset + 4, true);
      const start = offset + 8;
      if (tag === "data") {
        if (format === null) throw untrue("its header has no format");
        if (this.#hasHeader && format.rate !== this.#format!.rate) throw untrue("its sample rate changes");
        this.#hasHeader = true;
        if (this.#downmix !== null) parts.push(this.#downmix.finish());
        this.#downmix = new Downmix(format.channels, format.rate, format.layout);
        this.#format = format;
        this.#declared = size > 0 && size < UNTRUE_SIZE ? size : null;
        this.#read = 0;
        this.#held = bytes.subarray(start);
        this.#state = "data";
        return true;
      }
      if (tag === "fmt " && start + 16 <= bytes.length) format = formatAt(view, start, size);
      offset = start + size + (size & 1);
      if (offset > HEAD_MAX) throw untrue("its header does not end");
    }
    if (bytes.length > HEAD_MAX) throw untrue("its header does not end");
    return false;
  }

  /** At the declared end, a known chunk is no audio; anything else shows that the declared length was wrong. */
  #follow(isEnd: boolean): boolean {
    if (this.#held.length < 4 && !isEnd) return false;
    if (TAGS_AFTER.includes(tagAt(this.#held, 0))) this.#state = "after";
    this.#declared = null;
    return true;
  }

  /** Samples up to the next marker, the declared end, or what may be the beginning of a marker. */
  #data(parts: Float32Array[], isEnd: boolean): boolean {
    const held = this.#held;
    const limit = Math.min(held.length, this.#declared === null ? held.length : this.#declared - this.#read);
    const again = markerAt(held, "RIFF", "WAVE");
    const marker = again >= 0 ? again : markerAt(held, "LIST", "INFO");
    if (marker >= 0 && marker < limit) {
      this.#decode(parts, marker);
      this.#held = held.subarray(marker);
      this.#state = again >= 0 ? "head" : "after";
      return true;
    }
    if (limit < held.length) {
      this.#decode(parts, limit);
      this.#held = held.subarray(limit);
      this.#read = this.#declared!;
      return true;
    }
    const taken = this.#decode(parts, isEnd ? held.length : Math.max(0, held.length - MARKER_BYTES + 1));
    this.#read += taken;
    this.#held = held.subarray(taken);
    return false;
  }

  #skip(): boolean {
    const again = markerAt(this.#held, "RIFF", "WAVE");
    this.#held = this.#held.subarray(again >= 0 ? again : Math.max(0, this.#held.length - MARKER_BYTES + 1));
    if (again >= 0) this.#state = "head";
    return again >= 0;
  }

  /** Returns how many bytes were decoded: whole frames only. */
  #decode(parts: Float32Array[], end: number): number {
    const { bytes, channels, isFloat } = this.#format!;
    const count = Math.floor(end / (bytes * channels));
    const view = new DataView(this.#held.buffer, this.#held.byteOffset, this.#held.length);
    const planes = Array.from({ length: channels }, (_, channel) => {
      const samples = new Float32Array(count);
      for (let i = 0; i < count; i++) {
        const at = (i * channels + channel) * bytes;
        samples[i] = isFloat ? view.getFloat32(at, true) : view.getInt16(at, true) / 32_768;
      }
      return samples;
    });
    parts.push(this.#downmix === null ? planes[0]! : this.#downmix.push(planes));
    return count * bytes * channels;
  }
}

const untrue = (why: string) => new UpstreamFailure("faulty", `the audio cannot be read: ${why}`);

const tagAt = (bytes: Uint8Array, offset: number): string =>
  Buffer.from(bytes.subarray(offset, offset + 4)).toString("latin1");

function formatAt(view: DataView, offset: number, size: number): Format {
  const isExtensible = view.getUint16(offset, true) === 0xfffe && size >= 26;
  if (isExtensible && offset + 26 > view.byteLength) throw untrue("its format is cut");
  const kind = isExtensible ? view.getUint16(offset + 24, true) : view.getUint16(offset, true);
  const channels = view.getUint16(offset + 2, true);
  const rate = view.getUint32(offset + 4, true);
  const bits = view.getUint16(offset + 14, true);
  const isKnown = (kind === 1 && bits === 16) || (kind === 3 && bits === 32);
  if (!isKnown || channels < 1 || channels > 8 || rate < 8000 || rate > 192_000)
    throw untrue(`its format is ${kind}, ${bits} bit, ${channels} channels, ${rate} Hz`);
  const layout = isExtensible ? layoutOf(view.getUint32(offset + 20, true)) : null;
  return { rate, channels, bytes: bits / 8, isFloat: kind === 3, layout };
}

/** MP3, Ogg, FLAC, JSON and HTML: what servers send instead of PCM. */
function isOtherFormat(bytes: Uint8Array): boolean {
  const tag = tagAt(bytes, 0);
  const isMp3 = tag.startsWith("ID3") || (bytes[0] === 0xff && (bytes[1]! & 0xf6) === 0xf2);
  return isMp3 || ["OggS", "fLaC"].includes(tag) || /^\s*[{<]["!a-zA-Z]/.test(tag);
}

/** Where a tag stands, and four bytes later its kind: no samples by chance. Or -1. */
function markerAt(bytes: Uint8Array, tag: string, kind: string): number {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let at = buffer.indexOf(tag, 0, "latin1"); at >= 0; at = buffer.indexOf(tag, at + 1, "latin1"))
    if (buffer.toString("latin1", at + 8, at + 12) === kind) return at;
  return -1;
}
