/**
 * The audio of a stream as sessions take it: one channel, without a header. A stream whose encoding is not named begins
 * with the header of a WAV file.
 */
import type { LiveFormat } from "../../../engine/protocol/live-format.ts";
import { Refusal } from "../../../errors.ts";
import type { RawAudio } from "../raw-audio.ts";

const G711_RATE = 8000;
const RATE = { min: 8000, max: 48_000 };

export function formatOf({ encoding, sampleRate, channels }: RawAudio): LiveFormat {
  if (encoding === "linear16") {
    if (sampleRate >= RATE.min && sampleRate <= RATE.max) return { type: "audio/pcm", rate: sampleRate };
    throw unsupportedAudio(`linear16 has ${RATE.min} to ${RATE.max} samples a second, not ${sampleRate}`);
  }
  if (sampleRate !== G711_RATE)
    throw unsupportedAudio(`${encoding} has ${G711_RATE} samples a second, not ${sampleRate}`);
  if (channels !== 1) throw unsupportedAudio(`${encoding} has one channel, not ${channels}`);
  return { type: encoding === "mulaw" ? "audio/pcmu" : "audio/pcma" };
}

const unsupportedAudio = (message: string): Refusal =>
  new Refusal("invalid_audio", `${message}.`, { param: "encoding" });

const HEADER_MAX = 16 * 1024;
const FORMAT_BYTES = { least: 16, most: 40 };
const RIFF = Buffer.from("RIFF");
const ENCODINGS: Record<number, RawAudio["encoding"]> = { 1: "linear16", 6: "alaw", 7: "mulaw" };
const EXTENSIBLE = 0xfffe;

export class AudioStream {
  #layout: RawAudio | null;
  /** Bytes of a header or of a frame of all channels that are not whole yet. */
  #rest: Buffer = Buffer.alloc(0);

  /** `layout` null: it begins with a header. */
  constructor(layout: RawAudio | null) {
    this.#layout = layout;
  }

  /** `found`: the layout, where these bytes complete its header. */
  push(bytes: Uint8Array): { audio: Uint8Array | null; found: RawAudio | null } {
    const all = this.#rest.length === 0 ? Buffer.from(bytes) : Buffer.concat([this.#rest, bytes]);
    if (this.#layout) return { audio: this.#mono(all, this.#layout.channels), found: null };
    const head = readHead(all);
    this.#rest = all;
    if (head === null && all.length > HEADER_MAX)
      throw unsupportedAudio("The header of the stream has no end");
    if (head === null) return { audio: null, found: null };
    this.#layout = head.layout;
    return { audio: this.#mono(all.subarray(head.size), head.layout.channels), found: head.layout };
  }

  /** The mean of the channels of 16-bit samples. */
  #mono(all: Buffer, channels: number): Uint8Array {
    const frames = channels === 1 ? 0 : Math.floor(all.length / (2 * channels));
    this.#rest = channels === 1 ? Buffer.alloc(0) : Buffer.from(all.subarray(frames * 2 * channels));
    if (channels === 1) return all;
    const mono = Buffer.alloc(frames * 2);
    for (let frame = 0; frame < frames; frame++) {
      let sum = 0;
      for (let channel = 0; channel < channels; channel++)
        sum += all.readInt16LE((frame * channels + channel) * 2);
      mono.writeInt16LE(Math.round(sum / channels), frame * 2);
    }
    return mono;
  }
}

/** Null: there is not all of it yet. */
function readHead(bytes: Buffer): { layout: RawAudio; size: number } | null {
  if (!RIFF.subarray(0, bytes.length).equals(bytes.subarray(0, RIFF.length)))
    throw unsupportedAudio(
      "Name the encoding of a stream, or send WAV: other containers are not read from streams",
    );
  let layout: RawAudio | null = null;
  for (let at = 12; at + 8 <= bytes.length; ) {
    const [name, size] = [bytes.toString("latin1", at, at + 4), bytes.readUInt32LE(at + 4)];
    if (name === "data" && layout) return { layout, size: at + 8 };
    if (name === "data") throw unsupportedAudio("The header of the stream does not say its format");
    if (name === "fmt " && size < FORMAT_BYTES.least)
      throw unsupportedAudio("The header of the stream is damaged");
    if (name === "fmt " && at + 8 + Math.min(size, FORMAT_BYTES.most) > bytes.length) return null;
    if (name === "fmt ") layout = layoutAt(bytes, at + 8, size);
    at += 8 + size + (size % 2);
  }
  return null;
}

function layoutAt(bytes: Buffer, at: number, size: number): RawAudio {
  const code = bytes.readUInt16LE(at);
  const isExtensible = code === EXTENSIBLE && size >= FORMAT_BYTES.most;
  const encoding = ENCODINGS[isExtensible ? bytes.readUInt16LE(at + 24) : code];
  const bits = bytes.readUInt16LE(at + 14);
  const channels = bytes.readUInt16LE(at + 2);
  if (encoding === undefined || bits !== (encoding === "linear16" ? 16 : 8) || channels < 1 || channels > 8)
    throw unsupportedAudio("A stream of WAV has samples of 16 bits, or G.711, in at most 8 channels");
  return { encoding, sampleRate: bytes.readUInt32LE(at + 4), channels };
}
