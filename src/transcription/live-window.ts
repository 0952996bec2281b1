/** The audio of an utterance that is not final yet, by positions in the utterance. */
import { joinAll } from "../audio/pcm.ts";

export class LiveWindow {
  #parts: Float32Array[] = [];
  start = 0;
  end = 0;

  push(samples: Float32Array): void {
    this.#parts.push(samples);
    this.end += samples.length;
  }

  /** A copy. */
  until(place: number): Float32Array {
    return this.#whole().slice(0, place - this.start);
  }

  dropBefore(place: number): void {
    this.#parts = [this.#whole().slice(place - this.start)];
    this.start = place;
  }

  #whole(): Float32Array {
    const whole = joinAll(this.#parts);
    this.#parts = [whole];
    return whole;
  }
}
