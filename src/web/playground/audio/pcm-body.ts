/** A response body of 16-bit little-endian PCM, as samples while it arrives. */

const FULL_SCALE = 32_768;

export type PcmBody = { chunks: Uint8Array<ArrayBuffer>[]; sampleCount: number };

/** Returns the bytes as they were received. */
export async function readPcm(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  onSamples: (samples: Float32Array<ArrayBuffer>) => void,
): Promise<PcmBody> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let sampleCount = 0;
  let odd = new Uint8Array(0); // half a sample at the end of a chunk
  for await (const chunk of chunksOf(body)) {
    chunks.push(chunk);
    const bytes = new Uint8Array(odd.length + chunk.length);
    bytes.set(odd);
    bytes.set(chunk, odd.length);
    const evenLength = bytes.length & ~1;
    odd = bytes.slice(evenLength);
    const samples = Float32Array.from(
      new Int16Array(bytes.buffer, 0, evenLength / 2),
      (sample) => sample / FULL_SCALE,
    );
    sampleCount += samples.length;
    if (samples.length > 0) onSamples(samples);
  }
  return { chunks, sampleCount };
}

/** Not every browser iterates streams itself. */
async function* chunksOf(body: ReadableStream<Uint8Array<ArrayBuffer>>) {
  for (const reader = body.getReader(); ; ) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}
