/** The goldens of the decoders, and the numbers they were made from. */
import { existsSync, readFileSync } from "node:fs";
import { openRandom } from "../../../testing/packages/random.ts";

const PATH = new URL("../../../../shared/goldens/algorithms.json", import.meta.url);

export const hasGoldens = existsSync(PATH);
export const unlessGoldens = hasGoldens ? "" : " (skipped: no goldens here)";
export const goldens = hasGoldens ? JSON.parse(readFileSync(PATH, "utf8")) : {};

/** Numbers in [0, 1) from a linear congruential generator. */
export function numbers(seed: number, count: number): number[] {
  return Array.from({ length: count }, openRandom(seed));
}
