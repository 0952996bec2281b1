/** A file in base64, decoded as it arrives. */
import { Gathered } from "../../../memory/gathered.ts";
import { malformed } from "./body.ts";
import { FILE_LIMIT, type Hold, tooLarge } from "./upload-parser.ts";

export class Base64File {
  readonly #hold: Hold;
  readonly #bytes: Gathered;
  /** Characters that do not make up whole bytes yet. */
  #rest = "";
  #isPadded = false;

  constructor(hold: Hold, foretoldBytes: number) {
    this.#hold = hold;
    this.#bytes = new Gathered(foretoldBytes);
  }

  /** JSON may escape slashes. */
  append(characters: Uint8Array): void {
    const text = this.#rest + Buffer.from(characters).toString("latin1").replaceAll("\\/", "/");
    const whole = text.length - (text.length % 4);
    this.#rest = text.slice(whole);
    this.#decode(text.slice(0, whole));
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
    if (this.#bytes.sizeBytes + bytes.length > FILE_LIMIT) throw tooLarge();
    this.#hold(bytes.length);
    this.#bytes.append(bytes);
  }
}

const notBase64 = () => malformed("malformed", "has no valid base64 in input_audio.data");
