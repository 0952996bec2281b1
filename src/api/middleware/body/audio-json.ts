/**
 * A recording in JSON, as Open WebUI sends it: {"model": …, "input_audio": {"data": "<base64>", "format": "wav"}}.
 *
 * One long string is decoded while it arrives, so that no more than the recording is kept of it; the rest is parsed as
 * JSON, with an empty string in its place.
 *
 *   {"model":"m","input_audio":{"data":"UklGR…"}}   text ──> {"model":"m","input_audio":{"data":""}}    file ──> RIFF…
 */

import { JSON_LIMITS, parseJson } from "../../../bounded-json.ts";
import { Gathered } from "../../../memory/spool.ts";
import { FILE_BYTES_MAX } from "../../../metered/request-limits.ts";
import { malformed } from "./body.ts";
import type { NoFile } from "./form.ts";
import { type Hold, type Parsed, TEXT_LIMIT, tooLarge, type UploadParser } from "./upload-parser.ts";

const LONG_BYTES = 32 * 1024; // a prompt of 4,000 characters is shorter, however it is escaped
const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const NOTHING = new Uint8Array(0);

export class AudioJson implements UploadParser {
  readonly #file: Base64File;
  #text = new Gathered();
  #state: "outside" | "string" | "long" = "outside";
  #isEscaped = false;
  /** Of the current string, so far. */
  #stringBytes = 0;
  #hasLong = false;

  readonly #noAudio: NoFile | undefined;

  /** `noAudio`: the refusal of a body without a recording, by its fields; null: it needs none. */
  constructor({
    hold,
    announcedBytes,
    noAudio,
  }: { hold: Hold; announcedBytes: number; noAudio?: NoFile | undefined }) {
    this.#file = new Base64File(hold, announcedBytes);
    this.#noAudio = noAudio;
  }

  push(chunk: Uint8Array): void {
    let rest = chunk;
    while (rest.length > 0) rest = this.#state === "long" ? this.#readLong(rest) : this.#readText(rest);
  }

  end(): Parsed {
    const { input_audio: audio, ...fields } = this.#parsed();
    const text = new Map(Object.entries(fields).flatMap(textOf));
    const data = (audio as { data?: unknown } | null | undefined)?.data;
    if (audio === undefined && this.#noAudio?.(text) === null) return { file: NOTHING, text };
    if (typeof data !== "string") throw noRecording();
    if (this.#hasLong && data !== "") throw tooLong();
    if (!this.#hasLong) this.#file.append(Buffer.from(data, "utf8"));
    return { file: this.#file.end(), text };
  }

  free(): void {
    this.#file.free();
  }

  /** Both return what they did not read. */
  #readText(bytes: Uint8Array): Uint8Array {
    for (const [index, byte] of bytes.entries()) {
      this.#advance(byte);
      if (this.#stringBytes <= LONG_BYTES) continue;
      this.#keep(bytes.subarray(0, index + 1));
      this.#divert();
      return bytes.subarray(index + 1);
    }
    this.#keep(bytes);
    return NOTHING;
  }

  #readLong(bytes: Uint8Array): Uint8Array {
    const quote = bytes.indexOf(QUOTE);
    this.#file.append(quote < 0 ? bytes : bytes.subarray(0, quote));
    if (quote < 0) return NOTHING;
    this.#state = "outside";
    this.#keep(bytes.subarray(quote, quote + 1));
    return bytes.subarray(quote + 1);
  }

  #advance(byte: number): void {
    if (this.#state === "outside") {
      if (byte === QUOTE) this.#state = "string";
      return;
    }
    this.#stringBytes++;
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === BACKSLASH) this.#isEscaped = true;
    else if (byte === QUOTE) {
      this.#state = "outside";
      this.#stringBytes = 0;
    }
  }

  #keep(bytes: Uint8Array): void {
    if (this.#text.sizeBytes + bytes.length > TEXT_LIMIT + LONG_BYTES)
      throw malformed("too_long", `has more than ${TEXT_LIMIT} bytes beside the recording`);
    this.#text.append(bytes);
  }

  /** The string is the recording: what was kept of it moves to the file. */
  #divert(): void {
    if (this.#hasLong) throw tooLong();
    this.#hasLong = true;
    const kept = this.#text.bytes();
    const start = kept.length - this.#stringBytes;
    this.#file.append(kept.subarray(start));
    this.#text = new Gathered();
    this.#text.append(kept.subarray(0, start));
    [this.#state, this.#stringBytes, this.#isEscaped] = ["long", 0, false];
  }

  #parsed(): Record<string, unknown> {
    const text = this.#text.bytes().toString("utf8");
    const { value, problem } = parseJson(text, JSON_LIMITS, { isCut: this.#hasLong });
    if (problem !== null) throw malformed("malformed", problem);
    if (typeof value !== "object" || value === null || Array.isArray(value)) throw noRecording();
    return value as Record<string, unknown>;
  }
}

const tooLong = () =>
  malformed("too_long", `has a string of over ${LONG_BYTES} bytes beside input_audio.data`);

const noRecording = () =>
  malformed("malformed", "has no recording: send a form with a file, or base64 in input_audio.data");

/** A field as a form would send it; null is absent. */
function textOf([name, value]: [string, unknown]): [string, string[]][] {
  if (value === null) return [];
  return [[name, [typeof value === "object" ? JSON.stringify(value) : String(value)]]];
}

/** What serializers escape of base64: PHP the slash, .NET the plus sign, Gson the equals sign. */
const ESCAPES = /\\(?:\/|u00(2b|2f|3d))/gi;
/** An escape that continues in the next chunk. */
const INCOMPLETE_ESCAPE = /\\(?:u[0-9a-f]{0,3})?$/i;
const ESCAPE_LENGTH = 6; // \u002f

/** A file in base64 in a JSON string, decoded as it arrives. */
export class Base64File {
  readonly #hold: Hold;
  readonly #bytes: Gathered;
  /** Characters that do not make up whole bytes yet, and an incomplete escape after them. */
  #rest = "";
  #isPadded = false;

  constructor(hold: Hold, announcedBytes: number) {
    this.#hold = hold;
    this.#bytes = new Gathered(announcedBytes);
  }

  append(characters: Uint8Array): void {
    const text = this.#rest + Buffer.from(characters).toString("latin1");
    const incomplete = INCOMPLETE_ESCAPE.exec(text.slice(1 - ESCAPE_LENGTH))?.[0] ?? "";
    const base64 = text
      .slice(0, text.length - incomplete.length)
      .replace(ESCAPES, (_escape, code?: string) =>
        code === undefined ? "/" : String.fromCharCode(Number.parseInt(code, 16)),
      );
    const whole = base64.length - (base64.length % 4);
    this.#rest = base64.slice(whole) + incomplete;
    this.#decode(base64.slice(0, whole));
  }

  end(): Buffer<ArrayBuffer> {
    if (this.#rest.length === 1) throw notBase64(); // no byte is one character
    this.#decode(this.#rest);
    return this.#bytes.bytes();
  }

  free(): void {
    this.#bytes.clear();
  }

  #decode(text: string): void {
    if (text === "") return;
    const bytes = Buffer.from(text, "base64");
    const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
    const isWhole = bytes.length === Math.floor(((text.length - padding) * 3) / 4);
    if (this.#isPadded || !isWhole) throw notBase64();
    this.#isPadded = padding > 0;
    if (this.#bytes.sizeBytes + bytes.length > FILE_BYTES_MAX) throw tooLarge();
    this.#hold(bytes.length);
    this.#bytes.append(bytes);
  }
}

const notBase64 = () => malformed("malformed", "has no valid base64 in input_audio.data");
