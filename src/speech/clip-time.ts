/** How long a clip may be, and when the listener of one that is streamed runs out of sound. */

import { TTS_SAMPLE_RATE } from "../audio/rates.ts";
import type { PlannedSegment } from "../engine/protocol/plan.ts";
import { spokenSeconds } from "../engine/speed/spoken-seconds.ts";
import { Refusal } from "../errors.ts";

const SPEECH_MAX_SECONDS = 1800;

/** Of the estimates. */
const TOLERANCE = 1.25;

/** Seconds at speed 1, with the pause after it. */
export const secondsOf = ({ text, pauseMs, rate = 1, silenceMs = 0 }: PlannedSegment): number =>
  (pauseMs + silenceMs) / 1000 + spokenSeconds(text) / rate;

/** What has been synthesized of a plan so far. */
export type Pace = {
  /** Throws where the speech is, or at its pace will be, longer than one request may make. */
  add(segment: PlannedSegment, sampleCount: number): void;
};

/**
 * Limits the seconds of speech that one request may create. An estimate from the text refuses what is far too long before
 * synthesis starts; during synthesis, the measured pace decides.
 *
 * Throws a refusal of `input` where the text is far too long to begin with.
 */
export function openPace(plan: readonly PlannedSegment[], speed: number): Pace {
  const planned = plan.reduce((sum, segment) => sum + secondsOf(segment), 0) / speed;
  if (planned > SPEECH_MAX_SECONDS * TOLERANCE) throw tooLong(planned);
  let expected = 0;
  let seconds = 0;
  return {
    add(segment, sampleCount) {
      expected += secondsOf(segment) / speed;
      seconds += sampleCount / TTS_SAMPLE_RATE + segment.pauseMs / 1000 / speed;
      if (seconds > SPEECH_MAX_SECONDS) throw tooLong(Math.max(seconds, (seconds / expected) * planned));
      const isTelling = expected > planned / 10 && seconds > 60;
      const projected = (seconds / expected) * planned;
      if (isTelling && projected > SPEECH_MAX_SECONDS * TOLERANCE) throw tooLong(projected);
    },
  };
}

function tooLong(seconds: number): Refusal {
  const minutes = Math.ceil(seconds / 60);
  const message = `input would be about ${minutes} minutes of speech; one request may make ${SPEECH_MAX_SECONDS / 60}.`;
  const details = [
    { field: "input", code: "too_long" as const, message: message.slice("input ".length, -1) },
  ];
  return new Refusal("validation_error", message, { param: "input", details });
}

/**
 * When the listener runs out of sound, if it plays the clip from its first sound on without a pause.
 *
 *   handed out  s0 s1 │ requested  s2 s3 │ next  s4
 *   played      ──────▶                     due when s3 ends: what is handed out and not played, and s2 and s3 as estimated
 */
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
