/** Logits over a vocabulary: the highest, the probability of one, and a random one. */

/** The index of the highest value; of equal ones the first. */
export function argmax(values: Float32Array): number {
  let best = 0;
  for (let index = 1; index < values.length; index++) if (values[index]! > values[best]!) best = index;
  return best;
}

const NEGLIGIBLE = -25; // exp(-25) times the size of a vocabulary is less than a millionth

/** The softmax probability of one value. */
export function probabilityOf(values: Float32Array, chosen: number): number {
  const logit = values[chosen]!;
  let sum = 0;
  for (let index = 0; index < values.length; index++) {
    const above = values[index]! - logit;
    if (above > NEGLIGIBLE) sum += Math.exp(above);
  }
  return 1 / sum;
}

/** An index, drawn with the softmax probabilities of the values at a temperature above 0. */
export function sampled(values: Float32Array, temperature: number, random: () => number): number {
  const best = argmax(values);
  const top = values[best]!;
  const least = top + NEGLIGIBLE * temperature;
  let sum = 0;
  for (let index = 0; index < values.length; index++)
    if (values[index]! > least) sum += Math.exp((values[index]! - top) / temperature);
  let left = random() * sum;
  for (let index = 0; index < values.length; index++) {
    if (values[index]! <= least) continue;
    left -= Math.exp((values[index]! - top) / temperature);
    if (left <= 0) return index;
  }
  return best;
}
