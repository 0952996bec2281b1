/**
 * Trims the silence at both ends of speech that arrives in parts, and fades the ends so that joins do not click.
 *
 *   ____▁▂▅▇▆__▃▆▃____   ->   ╱▂▅▇▆__▃▆╲      silence is held until more speech follows it
 */
import { join } from "../../audio/pcm.ts";

const FLOOR = 10 ** (-45 / 20);
const KEPT_MS = 30;
const FADE_MS = 5;

export class SpeechEdges {
  readonly #kept: number;
  readonly #fade: number;
  /** Silence, and speech that may be faded out. */
  #held: Float32Array = new Float32Array(0);
  #hasBegun = false;
  /** Samples of silence that were dropped before the speech. */
  dropped = 0;

  constructor(sampleRate: number) {
    this.#kept = Math.round((KEPT_MS * sampleRate) / 1000);
    this.#fade = Math.round((FADE_MS * sampleRate) / 1000);
  }

  /** The samples that are certain to belong to the speech. */
  push(samples: Float32Array): Float32Array {
    this.#held = join(this.#held, samples);
    if (!this.#hasBegun && !this.#begin()) return new Float32Array(0);
    const end = this.#end();
    const certain = this.#held.slice(0, Math.max(0, end - this.#fade));
    this.#held = this.#held.slice(certain.length);
    return certain;
  }

  /** The rest; empty where all was silence. */
  finish(): Float32Array {
    if (!this.#hasBegun) return new Float32Array(0);
    const rest = this.#held.slice(0, this.#end() + this.#kept);
    const steps = Math.min(this.#fade, rest.length);
    for (let i = 0; i < steps; i++) rest[rest.length - 1 - i]! *= gainAt(i, steps);
    return rest;
  }

  /** Drops the silence before the first speech. */
  #begin(): boolean {
    const start = this.#held.findIndex((sample) => Math.abs(sample) >= FLOOR);
    if (start < 0) {
      this.#drop(Math.max(0, this.#held.length - this.#kept));
      return false;
    }
    this.#drop(Math.max(0, start - this.#kept));
    const steps = Math.min(this.#fade, this.#held.length);
    for (let i = 0; i < steps; i++) this.#held[i]! *= gainAt(i, steps);
    this.#hasBegun = true;
    return true;
  }

  #drop(count: number): void {
    this.#held = this.#held.slice(count);
    this.dropped += count;
  }

  /** After the last sample that is no silence. */
  #end(): number {
    let end = this.#held.length;
    while (end > 0 && Math.abs(this.#held[end - 1]!) < FLOOR) end--;
    return end;
  }
}

const gainAt = (index: number, steps: number) => 0.5 - 0.5 * Math.cos((Math.PI * index) / steps);
