/**
 * Samples of several items that wait to be played one after the other, and how many of each were. Pure.
 *
 *   item 1 ▒▒▒▒▒▒▒▒ item 2 ▒▒▒▒▒▒▒▒▒▒▒▒
 *   played ▒▒▒▒ now
 */

/** `count`: of an item's samples that were played so far. */
export type PlayedSamples = { itemId: string; count: number };

export class SampleQueue {
  readonly #played = new Map<string, number>();
  readonly #changed = new Set<string>();
  #waiting: { itemId: string; samples: Int16Array }[] = [];

  push(itemId: string, samples: Int16Array): void {
    this.#waiting.push({ itemId, samples });
  }

  clear(): void {
    this.#waiting = [];
  }

  /** Takes what is played next; silence where nothing waits. */
  fill(block: Float32Array): void {
    let at = 0;
    while (at < block.length) {
      const first = this.#waiting[0];
      if (!first) break;
      const { itemId, samples } = first;
      const count = Math.min(samples.length, block.length - at);
      for (let index = 0; index < count; index++) block[at++] = samples[index]! / 32_768;
      this.#played.set(itemId, (this.#played.get(itemId) ?? 0) + count);
      this.#changed.add(itemId);
      if (count === samples.length) this.#waiting.shift();
      else first.samples = samples.subarray(count);
    }
    block.fill(0, at);
  }

  /** Of the items of which more was played since the last call. */
  takeProgress(): PlayedSamples[] {
    const progress = [...this.#changed].map((itemId) => ({ itemId, count: this.#played.get(itemId)! }));
    this.#changed.clear();
    return progress;
  }
}
