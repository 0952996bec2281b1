/** Plays 16-bit PCM while it is being received. */
import { TTS_SAMPLE_RATE } from "../../audio/rates.ts";

const START_DELAY_SECONDS = 0.05;

export type Player = {
  /** Schedules samples to start where the last ones end. */
  push(samples: Int16Array): void;
  /** Calls back when everything scheduled has been played. */
  onEnd(callback: () => void): void;
  stop(): void;
};

export function openPlayer(): Player {
  const context = new AudioContext();
  let end = context.currentTime + START_DELAY_SECONDS;
  let last: AudioBufferSourceNode | null = null;
  return {
    push(samples) {
      if (samples.length === 0) return;
      const buffer = context.createBuffer(1, samples.length, TTS_SAMPLE_RATE);
      buffer.copyToChannel(
        Float32Array.from(samples, (sample) => sample / 32_768),
        0,
      );
      const source = new AudioBufferSourceNode(context, { buffer });
      source.connect(context.destination);
      end = Math.max(end, context.currentTime);
      source.start(end);
      end += buffer.duration;
      last = source;
    },
    onEnd(callback) {
      if (last) last.onended = callback;
    },
    stop() {
      if (context.state !== "closed") void context.close();
    },
  };
}

/** Plays a response body of raw PCM as it arrives, and returns its chunks. */
export async function playBody(response: Response, player: Player, onFirst: () => void) {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let odd = new Uint8Array(0); // half a sample at the end of a chunk
  for await (const chunk of chunksOf(response.body!)) {
    if (chunks.length === 0) onFirst();
    chunks.push(chunk);
    const bytes = new Uint8Array(odd.length + chunk.length);
    bytes.set(odd);
    bytes.set(chunk, odd.length);
    const evenLength = bytes.length & ~1;
    odd = bytes.slice(evenLength);
    player.push(new Int16Array(bytes.slice(0, evenLength).buffer));
  }
  return chunks;
}

/** Not every browser iterates streams itself. */
async function* chunksOf(body: ReadableStream<Uint8Array<ArrayBuffer>>) {
  for (const reader = body.getReader(); ; ) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}
