/** Recordings that recognizers take long for: they sound like speech everywhere, and like no words. */
import { openRandom } from "../../../workers/random.ts";

/** Speech cut into frames, in another order. The same seed is the same order. */
export function shuffledFrames(speech: Float32Array, frameSamples: number, seed = 1): Float32Array {
  const random = openRandom(seed);
  const count = Math.floor(speech.length / frameSamples);
  const order = Array.from({ length: count }, (_, index) => index);
  for (let last = count - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    [order[last], order[other]] = [order[other]!, order[last]!];
  }
  const shuffled = new Float32Array(count * frameSamples);
  for (const [to, from] of order.entries())
    shuffled.set(speech.subarray(from * frameSamples, (from + 1) * frameSamples), to * frameSamples);
  return shuffled;
}

/** So many voices at once: the same speech from different places. */
export function babble(speech: Float32Array, voices: number): Float32Array {
  const starts = Array.from({ length: voices }, (_, voice) => Math.floor((speech.length * voice) / voices));
  return speech.map(
    (_, at) =>
      starts.reduce((sum, start) => sum + speech[(start + at) % speech.length]!, 0) / Math.sqrt(voices),
  );
}
