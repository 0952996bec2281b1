/**
 * Seeded chance for fuzzing. One case is one number, so that a failure is repeated by it:
 *
 *   FUZZ_SEED=7 FUZZ_CASE=1234 bun test test/fuzz/…     that one case
 *   FUZZ_SECONDS=3600 bun test test/fuzz/…              as long as wanted; 2 seconds a test otherwise
 */
import { openRandom } from "../../testing/packages/random.ts";

const SEED = Number(process.env.FUZZ_SEED ?? 1);
const SECONDS = Number(process.env.FUZZ_SECONDS ?? 2);
const ONLY_CASE = process.env.FUZZ_CASE === undefined ? null : Number(process.env.FUZZ_CASE);

/** Milliseconds that a fuzz test should allow itself: its run and a wide margin. */
export const FUZZ_TIMEOUT_MS = (SECONDS + 120) * 1000;

export type Chance = {
  /** A whole number from 0 up to `below`, exclusive. */
  below(below: number): number;
  /** True once in `times`. */
  once(times: number): boolean;
  pick<T>(choices: readonly T[]): T;
  bytes(length: number): Buffer;
};

export function openChance(seed: number): Chance {
  const random = openRandom(Math.imul(seed, 2654435761) >>> 0);
  for (let warm = 0; warm < 4; warm++) random();
  const below = (limit: number) => Math.floor(random() * limit);
  return {
    below,
    once: (times) => below(times) === 0,
    pick: (choices) => choices[below(choices.length)]!,
    bytes: (length) => Buffer.from(Uint8Array.from({ length }, () => below(256))),
  };
}

/** Runs cases one after another until the time is up; a failure names the case. Resolves with how many ran. */
export async function fuzz(run: (chance: Chance, number: number) => Promise<void>): Promise<number> {
  const endsMs = performance.now() + SECONDS * 1000;
  let count = 0;
  for (let number = ONLY_CASE ?? 0; ; number++) {
    try {
      await run(openChance(SEED * 1_000_003 + number), number);
    } catch (cause) {
      throw new Error(`fuzz case ${number} of seed ${SEED} failed: ${String(cause)}`, { cause });
    }
    count++;
    if (ONLY_CASE !== null || performance.now() >= endsMs) return count;
  }
}
