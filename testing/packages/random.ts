/** Random numbers from a seed, the same every time. */
export type Random = () => number;

/** From 0 to 1, not 1 itself. */
export function openRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** As many weights around zero, at most `reach` from it. */
export function weights(random: Random, count: number, reach: number): Float32Array {
  const values = new Float32Array(count);
  for (let at = 0; at < count; at++) values[at] = (random() * 2 - 1) * reach;
  return values;
}
