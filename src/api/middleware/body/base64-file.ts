/** A file in base64 in a JSON string, decoded as it arrives. */

import { Gathered } from "../../../memory/spool.ts";
import { FILE_BYTES_MAX } from "../../../metered/request-limits.ts";
import { malformed } from "./body.ts";
import { type Hold, tooLarge } from "./upload-parser.ts";

/** What serializers escape of base64: PHP the slash, .NET the plus sign, Gson the equals sign. */
const ESCAPES = /\\(?:\/|u00(2b|2f|3d))/gi;
/** An escape that continues in the next chunk. */
const INCOMPLETE_ESCAPE = /\\(?:u[0-9a-f]{0,3})?$/i;
const ESCAPE_LENGTH = 6; // \u002f

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
