/** Bytes that arrive in pieces, kept in one buffer that grows by doubling: at most twice their size is ever allocated. */
const LEAST_BYTES = 4096;

export class Gathered {
  #room: Buffer = Buffer.alloc(0);
  #sizeBytes = 0;

  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  append(bytes: Uint8Array): void {
    const needed = this.#sizeBytes + bytes.length;
    if (needed > this.#room.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#room.length, LEAST_BYTES));
      this.#room.copy(larger, 0, 0, this.#sizeBytes);
      this.#room = larger;
    }
    this.#room.set(bytes, this.#sizeBytes);
    this.#sizeBytes = needed;
  }

  /** A view, not a copy. */
  bytes(): Buffer<ArrayBuffer> {
    return this.#room.subarray(0, this.#sizeBytes) as Buffer<ArrayBuffer>;
  }

  clear(): void {
    this.#room = Buffer.alloc(0);
    this.#sizeBytes = 0;
  }
}
