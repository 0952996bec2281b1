/**
 * Bytes that arrive in chunks, collected in one buffer: sized as the first chunk, then as announced, then doubling.
 * Announced memory costs nothing until it is written to.
 */
const ANNOUNCED_FROM_BYTES = 256 * 1024;

/** Frees a buffer's memory at once instead of at the next garbage collection; views of it become empty. */
export function free(bytes: Uint8Array<ArrayBuffer>): void {
  bytes.buffer.transfer(0);
}

export class Gathered {
  readonly #announcedBytes: number;
  #room: Buffer<ArrayBuffer> = Buffer.alloc(0);
  #sizeBytes = 0;

  constructor(announcedBytes = 0) {
    this.#announcedBytes = announcedBytes;
  }

  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  append(bytes: Uint8Array): void {
    const needed = this.#sizeBytes + bytes.length;
    if (needed > this.#room.length) {
      const larger = Buffer.allocUnsafeSlow(this.#roomFor(needed));
      this.#room.copy(larger, 0, 0, this.#sizeBytes);
      this.#room = larger;
    }
    this.#room.set(bytes, this.#sizeBytes);
    this.#sizeBytes = needed;
  }

  #roomFor(needed: number): number {
    const isAnnounced = needed >= ANNOUNCED_FROM_BYTES && needed <= this.#announcedBytes;
    return isAnnounced ? this.#announcedBytes : Math.max(needed, 2 * this.#room.length);
  }

  /** A view, not a copy. */
  bytes(): Buffer<ArrayBuffer> {
    return this.#room.subarray(0, this.#sizeBytes) as Buffer<ArrayBuffer>;
  }

  /** Frees the buffer: views of it become empty. */
  clear(): void {
    if (this.#room.length > 0) free(this.#room);
    this.#room = Buffer.alloc(0);
    this.#sizeBytes = 0;
  }
}
