/** How a client sends live audio, and how long what it sent is: exact, because bytes are counted and divided last. */

/** PCM is signed 16-bit, little-endian, mono; G.711 is 8 kHz. */
export type LiveFormat =
  | { type: "audio/pcm"; rate: number }
  | { type: "audio/pcmu" }
  | { type: "audio/pcma" };

export const bytesPerSecond = (format: LiveFormat): number =>
  format.type === "audio/pcm" ? format.rate * 2 : 8000;

/** The duration of received audio, which is billed. */
export class AudioClock {
  /** Seconds in formats before the present one. */
  #before = 0;
  #bytes = 0;
  #format: LiveFormat;

  constructor(format: LiveFormat) {
    this.#format = format;
  }

  get seconds(): number {
    return this.#before + this.#bytes / bytesPerSecond(this.#format);
  }

  add(sizeBytes: number): void {
    this.#bytes += sizeBytes;
  }

  reformat(format: LiveFormat): void {
    this.#before = this.seconds;
    this.#bytes = 0;
    this.#format = format;
  }
}
