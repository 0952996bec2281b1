/** An audio worklet, in the browser's audio thread: plays samples of items, and tells how many of each were played. */
import { SampleQueue } from "./sample-queue.ts";

const BLOCKS_PER_REPORT = 8; // 43 ms at 24 kHz

class Loudspeaker extends AudioWorkletProcessor {
  readonly #queue = new SampleQueue();
  #blocks = 0;

  constructor() {
    super();
    // null: what waits is not played any more
    this.port.onmessage = ({ data }) => {
      if (data === null) this.#queue.clear();
      else this.#queue.push(data.itemId, data.samples);
    };
  }

  /** True keeps the processor running. */
  process(_inputs: unknown, [channels]: [Float32Array[]]): boolean {
    this.#queue.fill(channels[0]!);
    this.#blocks = (this.#blocks + 1) % BLOCKS_PER_REPORT;
    if (this.#blocks > 0) return true;
    for (const played of this.#queue.takeProgress()) this.port.postMessage(played);
    return true;
  }
}

registerProcessor("loudspeaker", Loudspeaker);
