/**
 * Time-stretching without a change of pitch: WSOLA (Verhelst and Roelands, 1993), for the pace an engine cannot reach.
 *
 *   output   ├── hop ──┼── hop ──┼──        windows of 2 hops, overlapped by half
 *   input    each window from near hop·tempo, at the place that best continues the one before
 */
const HOP_MS = 12;
const SEARCH_MS = 6;

/** Plays `samples` at `tempo` times their pace: the result is about `samples.length / tempo` long. */
export function timeStretch(samples: Float32Array, tempo: number, sampleRate: number): Float32Array {
  const hop = Math.round((HOP_MS * sampleRate) / 1000);
  if (Math.abs(tempo - 1) < 0.02 || samples.length < 4 * hop) return samples;
  const search = Math.round((SEARCH_MS * sampleRate) / 1000);
  const window = Float32Array.from(
    { length: 2 * hop },
    (_, i) => 0.5 - 0.5 * Math.cos((Math.PI * (i + 0.5)) / hop),
  );
  const out = new Float32Array(Math.round(samples.length / tempo));
  let from = 0;
  for (let position = 0; position < out.length; position += hop) {
    if (position > 0)
      from = bestNear(samples, { target: Math.round(position * tempo), following: from + hop, search, hop });
    for (let i = 0; i < 2 * hop && position + i < out.length; i++) {
      const gain = position === 0 && i < hop ? 1 : window[i]!; // the first window has nothing to fade from
      out[position + i]! += gain * (samples[from + i] ?? 0);
    }
  }
  return out;
}

type Search = { target: number; following: number; search: number; hop: number };

/** The start near `target` whose samples correlate best with the natural continuation. */
function bestNear(samples: Float32Array, { target, following, search, hop }: Search): number {
  let best = target;
  let likest = Number.NEGATIVE_INFINITY;
  for (let start = target - search; start <= target + search; start += 2) {
    if (start < 0) continue;
    let likeness = 0;
    for (let i = 0; i < hop; i += 2) likeness += (samples[start + i] ?? 0) * (samples[following + i] ?? 0);
    if (likeness > likest) {
      likest = likeness;
      best = start;
    }
  }
  return best;
}
