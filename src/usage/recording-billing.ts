/**
 * Bills one recording while it is recognized: utterance by utterance, or at once; a caller that leaves pays for what was
 * recognized until then.
 */
import { isLeft } from "../errors.ts";
import type { Part } from "./posting.ts";
import type { Work } from "./work.ts";

/** `priceMicros`: of a million seconds. `signal` aborts when the caller leaves, or with a refusal of the server. */
type Recording = { model: string; priceMicros: number; durationSeconds: number; signal: AbortSignal };

export class RecordingBilling {
  readonly #work: Pick<Work, "post">;
  readonly #recording: Recording;
  #reachedSeconds = 0;
  #charging: Promise<void> = Promise.resolve();
  #left: Promise<void> | null = null;

  constructor(work: Pick<Work, "post">, recording: Recording) {
    this.#work = work;
    this.#recording = recording;
  }

  /** So many seconds are recognized. */
  readonly reached = (seconds: number): void => {
    this.#reachedSeconds = seconds;
  };

  /** Charges up to there. */
  upTo(seconds: number): Promise<void> {
    return this.#post(seconds, "early");
  }

  whole(): Promise<void> {
    return this.#post(this.#recording.durationSeconds, "last");
  }

  /** Where the charge fails, nothing is charged: nothing was delivered for it. */
  left(): Promise<void> {
    this.#left ??=
      this.#reachedSeconds > 0 ? this.#post(this.#reachedSeconds, "left").catch(() => {}) : Promise.resolve();
    return this.#left;
  }

  /** The result of the work, unless its caller leaves meanwhile. */
  async unlessLeft<T>(work: Promise<T>): Promise<T> {
    const { signal } = this.#recording;
    try {
      const result = await work;
      signal.throwIfAborted();
      return result;
    } catch (error) {
      if (isLeft(signal)) await this.left();
      throw error;
    }
  }

  /** One charge after the other: each pays for what those before it have not paid. */
  #post(seconds: number, part: Part): Promise<void> {
    const { model, priceMicros, durationSeconds } = this.#recording;
    const consumed = { model, priceMicros, quantity: Math.min(seconds, durationSeconds) };
    const charge = () => this.#work.post(consumed, part);
    this.#charging = this.#charging.then(charge, charge);
    return this.#charging;
  }
}
