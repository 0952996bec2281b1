/** An audio worklet, in the browser's audio thread: sends the microphone's samples as chunks of 16-bit integers. */

class Microphone extends AudioWorkletProcessor {
  readonly #chunk: Int16Array;
  #length = 0;
  #isFinished = false;

  constructor({ processorOptions }: AudioWorkletNodeOptions) {
    super();
    this.#chunk = new Int16Array(processorOptions.chunkSamples);
    // the page asks for the rest: null is the end
    this.port.onmessage = () => {
      this.#isFinished = true;
      if (this.#length > 0) this.port.postMessage(this.#chunk.slice(0, this.#length));
      this.port.postMessage(null);
    };
  }

  /** True keeps the processor running. */
  process([channels]: [Float32Array[]]): boolean {
    if (this.#isFinished) return false;
    for (const sample of channels[0] ?? []) {
      this.#chunk[this.#length++] = Math.max(-32_768, Math.min(32_767, Math.round(sample * 32_768)));
      if (this.#length < this.#chunk.length) continue;
      this.port.postMessage(this.#chunk.slice());
      this.#length = 0;
    }
    return true;
  }
}

registerProcessor("microphone", Microphone);
