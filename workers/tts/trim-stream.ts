/**
 * Trims the silence of speech that arrives in parts, as `trimEdges` does for all of it at once: silence is held back until
 * more speech follows, because it may be the last.
 *
 *   in    ___▁▂▅▇▆▃│▁___│__▂▆▇▅_│____
 *   out      ▁▂▅▇▆▃│    │▁_____▂▆▇▅│__╲      30 ms of silence are kept at both ends, and the ends are faded
 */
import { join } from "../../src/audio/pcm.ts";
import { FADE_MS, FLOOR, fadeIn, fadeOut, KEPT_MS } from "./trim-silence.ts";

export class TrimStream {
  readonly #kept: number;
  readonly #faded: number;
  /** What was not handed out: before any speech, the silence that is kept of its beginning. */
  #held: Float32Array = new Float32Array(0);
  /** Where the speech ends in it; null before there is any. */
  #end: number | null = null;
  #isFadedIn = false;

  constructor(sampleRate: number) {
    this.#kept = Math.round((KEPT_MS * sampleRate) / 1000);
    this.#faded = Math.round((FADE_MS * sampleRate) / 1000);
  }

  /** What is certain of the speech so far; it may be nothing. */
  push(samples: Float32Array): Float32Array {
    const held = join(this.#held, samples);
    const end = held.findLastIndex((sample) => Math.abs(sample) >= FLOOR) + 1;
    if (this.#end === null) {
      const start = held.findIndex((sample) => Math.abs(sample) >= FLOOR);
      const cut = Math.max(0, (start === -1 ? held.length : start) - this.#kept);
      this.#held = held.slice(cut);
      if (start !== -1) this.#end = end - cut;
    } else {
      this.#held = held;
      this.#end = Math.max(this.#end, end);
    }
    return this.#release();
  }

  /** The rest of the speech. */
  finish(): Float32Array {
    if (this.#end === null) return new Float32Array(0);
    const rest = this.#held.slice(0, this.#end + this.#kept);
    const steps = this.#isFadedIn ? this.#faded : Math.min(this.#faded, rest.length >> 1);
    if (!this.#isFadedIn) fadeIn(rest, steps);
    fadeOut(rest, steps);
    return rest;
  }

  /** All but what may be faded out. */
  #release(): Float32Array {
    const sure = (this.#end ?? 0) - this.#faded;
    if (sure < (this.#isFadedIn ? 1 : this.#faded)) return new Float32Array(0);
    const released = this.#held.slice(0, sure);
    this.#held = this.#held.slice(sure);
    this.#end = this.#faded;
    if (!this.#isFadedIn) fadeIn(released, this.#faded);
    this.#isFadedIn = true;
    return released;
  }
}
