/** The audio of an utterance that is not final yet, by positions in the utterance. */
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
    const whole = new Float32Array(this.end - this.start);
    let offset = 0;
    for (const part of this.#parts) {
      whole.set(part, offset);
      offset += part.length;
    }
    this.#parts = [whole];
    return whole;
  }
}
