/**
 * When the listener of a streamed clip runs out of sound, if it plays the clip from its first sound on without a pause.
 *
 *   handed out  s0 s1 │ requested  s2 s3 │ next  s4
 *   played      ──────▶                     due when s3 ends: what is handed out and not played, and s2 and s3 as estimated
 */

import { TTS_SAMPLE_RATE } from "../audio/rates.ts";
import type { PlannedSegment } from "../engine/protocol/plan.ts";
import { secondsOf } from "./duration-limit.ts";

export class Playback {
  readonly #speed: number;
  readonly #now: () => number;
  #endsMs: number | null = null; // when all that was handed out is played

  /** `now`: a clock in milliseconds. */
  constructor(speed: number, now: () => number = () => performance.now()) {
    this.#speed = speed;
    this.#now = now;
  }

  handOut({ length }: Float32Array): void {
    const startsMs = Math.max(this.#endsMs ?? 0, this.#now());
    this.#endsMs = startsMs + (1000 * length) / TTS_SAMPLE_RATE;
  }

  /** In how many milliseconds a segment is needed that follows the requested ones. */
  dueInMs(requested: readonly PlannedSegment[]): number {
    const leftMs = Math.max(0, (this.#endsMs ?? 0) - this.#now());
    const seconds = requested.reduce((sum, segment) => sum + secondsOf(segment), 0);
    return leftMs + (1000 * seconds) / this.#speed;
  }
}
