/** Scores of a vocabulary: the best of them, and how likely one is. */

/** The first of the highest. */
export function argmax(values: Float32Array): number {
  let best = 0;
  for (let at = 1; at < values.length; at++) if (values[at]! > values[best]!) best = at;
  return best;
}

const NEGLIGIBLE = -25; // e to it, times a vocabulary, is less than a millionth

/** How likely one is, of all. */
export function shareOf(values: Float32Array, chosen: number): number {
  const own = values[chosen]!;
  let sum = 0;
  for (let at = 0; at < values.length; at++) {
    const above = values[at]! - own;
    if (above > NEGLIGIBLE) sum += Math.exp(above);
  }
  return 1 / sum;
}
