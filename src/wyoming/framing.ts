/**
 * The framing of Wyoming, the protocol of Home Assistant's voice services: events, as bytes and back.
 *
 *   {"type": "audio-chunk", "data_length": 45, "payload_length": 2048}\n    a line of JSON
 *   {"rate": 16000, "width": 2, "channels": 1}                              `data_length` bytes of JSON
 *   …                                                                       `payload_length` bytes
 *
 * A line may also carry "data" itself; the JSON after it is merged over that. Every length is checked before anything of
 * that length is kept.
 */
import { Refusal } from "../errors.ts";

/** `data` is {} and `payload` null where an event has none. */
export type WyomingEvent = { type: string; data: Record<string, unknown>; payload: Uint8Array | null };

/**
 * In bytes: data holds the longest text that is spoken, and a payload 8 seconds of 32-bit stereo at 16 kHz.
 * @public held to by a test
 */
export const FRAME_LIMITS = { header: 64 * 1024, data: 128 * 1024, payload: 1024 * 1024 };
const TYPE_MAX = 100;
const LINE_END = 10;

type Header = { type: string; data: Record<string, unknown>; dataLength: number; payloadLength: number };

/** The bytes of one part of an event, as they arrive. */
type Part = { bytes: Uint8Array; filled: number };

const emptyPart = (size: number): Part => ({ bytes: new Uint8Array(size), filled: 0 });
const HEADER_START = 256;

/** Cuts events from bytes, however those are divided. After a refusal, nothing more can be read. */
export class FrameDecoder {
  #line = emptyPart(HEADER_START);
  #header: Header | null = null;
  #data: Record<string, unknown> | null = null;
  #part = emptyPart(0);

  /** Yields what comes before a refusal. Copies what it keeps. */
  *push(bytes: Uint8Array): Generator<WyomingEvent> {
    for (let offset = 0; offset < bytes.length; ) {
      const rest = bytes.subarray(offset);
      offset += this.#header === null ? this.#readLine(rest) : fill(this.#part, rest);
      const event = this.#advance();
      if (event) yield event;
    }
  }

  /** Whether an event has begun and is not complete. */
  get isInside(): boolean {
    return this.#header !== null || this.#line.filled > 0;
  }

  /** Returns how many bytes it took, with the end of the line. */
  #readLine(bytes: Uint8Array): number {
    const end = bytes.indexOf(LINE_END);
    const taken = end < 0 ? bytes : bytes.subarray(0, end);
    const needed = this.#line.filled + taken.length;
    if (needed > FRAME_LIMITS.header) throw tooLong("header", FRAME_LIMITS.header);
    if (needed > this.#line.bytes.length) this.#line = grown(this.#line, needed);
    fill(this.#line, taken);
    if (end < 0) return taken.length;
    this.#header = readHeader(this.#line.bytes.subarray(0, this.#line.filled));
    this.#line = emptyPart(HEADER_START);
    this.#part = emptyPart(this.#header.dataLength || this.#header.payloadLength);
    return end + 1;
  }

  /** The event, if this part was its last. */
  #advance(): WyomingEvent | null {
    const header = this.#header;
    if (header === null || this.#part.filled < this.#part.bytes.length) return null;
    if (header.dataLength > 0 && this.#data === null) {
      this.#data = { ...header.data, ...objectOf(this.#part.bytes, "The data of an event") };
      this.#part = emptyPart(header.payloadLength);
      if (header.payloadLength > 0) return null;
    }
    const { type } = header;
    const event = {
      type,
      data: this.#data ?? header.data,
      payload: header.payloadLength > 0 ? this.#part.bytes : null,
    };
    this.#header = null;
    this.#data = null;
    return event;
  }
}

/** Returns how many of the bytes fitted. */
function fill(part: Part, bytes: Uint8Array): number {
  const taken = bytes.subarray(0, part.bytes.length - part.filled);
  part.bytes.set(taken, part.filled);
  part.filled += taken.length;
  return taken.length;
}

function grown({ bytes, filled }: Part, needed: number): Part {
  const larger = new Uint8Array(Math.min(FRAME_LIMITS.header, Math.max(needed, 2 * bytes.length)));
  larger.set(bytes.subarray(0, filled));
  return { bytes: larger, filled };
}

function readHeader(line: Uint8Array): Header {
  const { type, data, data_length, payload_length } = objectOf(line, "The header of an event");
  if (typeof type !== "string" || type.length === 0 || type.length > TYPE_MAX)
    throw invalid("An event needs a type.");
  if (data !== undefined && data !== null && !isObject(data))
    throw invalid("The data of an event must be a JSON object.");
  return {
    type,
    data: data ?? {},
    dataLength: lengthOf(data_length, "data"),
    payloadLength: lengthOf(payload_length, "payload"),
  };
}

function lengthOf(value: unknown, part: "data" | "payload"): number {
  if (value === undefined || value === null) return 0;
  if (!Number.isSafeInteger(value) || (value as number) < 0)
    throw invalid(`${part}_length must be a number of bytes.`);
  if ((value as number) > FRAME_LIMITS[part]) throw tooLong(part, FRAME_LIMITS[part]);
  return value as number;
}

function objectOf(bytes: Uint8Array, what: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw invalid(`${what} must be JSON in UTF-8.`);
  }
  if (!isObject(value)) throw invalid(`${what} must be a JSON object.`);
  return value;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** What cannot be read as an event of the protocol. */
export const invalid = (message: string): Refusal => new Refusal("invalid_event", message);

const tooLong = (part: string, limit: number) =>
  invalid(`The ${part} of an event may have ${limit} bytes at most.`);

/** Data always follows the line: some readers limit its length to 64 KiB. */
export function encodeEvent({ type, data, payload }: WyomingEvent): Buffer {
  const body = Object.keys(data).length > 0 ? Buffer.from(JSON.stringify(data)) : null;
  const header = {
    type,
    ...(body ? { data_length: body.length } : {}),
    ...(payload ? { payload_length: payload.length } : {}),
  };
  return Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), body ?? EMPTY, payload ?? EMPTY]);
}

const EMPTY = Buffer.alloc(0);
