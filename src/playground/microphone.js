/** On the audio thread: the microphone's samples as 16-bit integers, a chunk at a time. */
class Microphone extends AudioWorkletProcessor {
  constructor({ processorOptions }) {
    super();
    this.chunk = new Int16Array(processorOptions.chunk);
    this.filled = 0;
  }

  process([[samples]]) {
    for (const sample of samples ?? []) {
      this.chunk[this.filled++] = Math.max(-32_768, Math.min(32_767, Math.round(sample * 32_768)));
      if (this.filled < this.chunk.length) continue;
      this.port.postMessage(this.chunk.slice());
      this.filled = 0;
    }
    return true;
  }
}

registerProcessor("microphone", Microphone);
