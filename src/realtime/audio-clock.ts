/** The duration of received audio, which is billed. Exact, because it counts bytes and divides last. */
import { ASR_SAMPLE_RATE } from "../audio/rates.ts";
import { bytesPerSecond, type LiveFormat } from "../engine/protocol/vad.ts";

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

/** Of a position in samples, as clients receive it. */
export const toMs = (samples: number) => Math.round((samples * 1000) / ASR_SAMPLE_RATE);
