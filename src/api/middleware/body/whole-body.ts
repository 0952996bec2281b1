/** A body that is a recording, whatever its content type. */
import { Gathered } from "../../../memory/spool.ts";
import { FILE_BYTES_MAX } from "../../../metered/request-limits.ts";
import { type Hold, type Parsed, tooLarge, type UploadParser } from "./upload-parser.ts";

const RIFF = Buffer.from("RIFF");

export class WholeBody implements UploadParser {
  readonly #hold: Hold;
  readonly #bytes: Gathered;
  /** Of raw samples: the header that they lack, unless they begin with one. */
  #header: Uint8Array | null;

  constructor(hold: Hold, announcedBytes: number, header: Uint8Array | null) {
    this.#hold = hold;
    this.#bytes = new Gathered(announcedBytes + (header?.length ?? 0));
    this.#header = header;
  }

  push(chunk: Uint8Array): void {
    if (this.#bytes.sizeBytes + chunk.length > FILE_BYTES_MAX) throw tooLarge();
    this.#hold(chunk.length);
    if (this.#header && !RIFF.equals(chunk.subarray(0, RIFF.length))) this.#bytes.append(this.#header);
    this.#header = null;
    this.#bytes.append(chunk);
  }

  end(): Parsed {
    return { file: this.#bytes.bytes(), text: new Map() };
  }

  free(): void {
    this.#bytes.clear();
  }
}
