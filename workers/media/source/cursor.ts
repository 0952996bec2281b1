/** A place in the bytes of a recording, which moves forward. Reads in blocks, because a file is read for each. */
import type { Source } from "./source.ts";

const BLOCK_BYTES = 256 * 1024;

export class Cursor {
  #block: Buffer = Buffer.alloc(0);
  #blockStart = 0;

  constructor(
    readonly source: Source,
    public position = 0,
  ) {}

  /** The next bytes, fewer than `size` at the end of the recording only. They are valid until the next call. */
  peek(size: number): Buffer {
    const offset = this.position - this.#blockStart;
    if (offset < 0 || offset + size > this.#block.length) {
      this.#block = this.source.read(this.position, Math.max(size, BLOCK_BYTES));
      this.#blockStart = this.position;
      return this.#block.subarray(0, size);
    }
    return this.#block.subarray(offset, offset + size);
  }

  skip(size: number): void {
    this.position += size;
  }

  get isAtEnd(): boolean {
    return this.position >= this.source.sizeBytes;
  }
}
