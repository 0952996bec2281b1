/** The goldens of the decoders, and the numbers they were made from. */
import { existsSync, readFileSync } from "node:fs";

const PATH = new URL("../../../shared/goldens/algorithms.json", import.meta.url);

export const hasGoldens = existsSync(PATH);
export const unlessGoldens = hasGoldens ? "" : " (skipped: no goldens here)";
export const goldens = hasGoldens ? JSON.parse(readFileSync(PATH, "utf8")) : {};

/** Numbers in [0, 1) from a linear congruential generator. */
export function numbers(seed: number, count: number): number[] {
  let value = seed;
  return Array.from({ length: count }, () => {
    value = (Math.imul(value, 1_664_525) + 1_013_904_223) >>> 0;
    return value / 2 ** 32;
  });
}
