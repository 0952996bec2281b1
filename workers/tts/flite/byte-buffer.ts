/** Bytes in memory that grow as they are written, like a file. */

const INITIAL_BYTES = 64 * 1024;

export class ByteBuffer {
  #bytes = new Uint8Array(INITIAL_BYTES);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** A copy. */
  toBytes(): Uint8Array<ArrayBuffer> {
    return this.#bytes.slice(0, this.#length);
  }

  /** Writes at a position, which may be beyond the end; overwrites existing bytes. */
  write(chunk: Uint8Array, position: number): void {
    const end = position + chunk.length;
    if (end > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(end, 2 * this.#bytes.length));
      larger.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = larger;
    }
    this.#bytes.set(chunk, position);
    this.#length = Math.max(this.#length, end);
  }
}
