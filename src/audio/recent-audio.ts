/**
 * The last audio of a live stream, by position: samples are appended, and dropped once nothing needs them.
 *
 *   buffer  [ dropped │ from ─── kept ─── end │ free ]        moved to the front only when the free part is used up
 */

const LEAST = 4096;

export class RecentAudio {
  #buffer = new Float32Array(0);
  #start = 0; // of the kept samples in the buffer
  #length = 0;
  /** The position of the first sample that is kept. */
  #from = 0;

  /** The position behind the last sample. */
  get end(): number {
    return this.#from + this.#length;
  }

  append(samples: Float32Array): void {
    if (this.#start + this.#length + samples.length > this.#buffer.length) this.#makeRoom(samples.length);
    this.#buffer.set(samples, this.#start + this.#length);
    this.#length += samples.length;
  }

  /** `count` more samples came, of which the last are here; or all of them, and some before them again. */
  skip(count: number, samples: Float32Array): void {
    this.#from = this.end + count - samples.length;
    this.#start = 0;
    this.#length = 0;
    this.append(samples);
  }

  /** A copy of what is kept of a span. */
  between(start: number, end: number): Float32Array {
    const within = (position: number) => Math.min(Math.max(position - this.#from, 0), this.#length);
    return this.#buffer.slice(this.#start + within(start), this.#start + within(end));
  }

  dropBefore(position: number): void {
    const count = Math.min(position - this.#from, this.#length);
    if (count <= 0) return;
    this.#start += count;
    this.#length -= count;
    this.#from += count;
  }

  /** Twice what is needed, so that moving is rare; after a burst, less again. */
  #makeRoom(more: number): void {
    const kept = this.#buffer.subarray(this.#start, this.#start + this.#length);
    const size = Math.max(LEAST, 2 * (this.#length + more));
    if (size > this.#buffer.length || 4 * size < this.#buffer.length) {
      this.#buffer = new Float32Array(size);
      this.#buffer.set(kept);
    } else this.#buffer.copyWithin(0, this.#start, this.#start + this.#length);
    this.#start = 0;
  }
}
