/** What happens to recordings on their way here: they are cut, joined, and lose or repeat parts. */
import type { Chance } from "./random.ts";

type Change = (bytes: Buffer, chance: Chance) => Buffer;

/** A part of 5 to 55 % of the file. */
function partOf(bytes: Buffer, chance: Chance): { start: number; end: number } {
  const start = chance.below(bytes.length);
  const size = Math.ceil((bytes.length * (5 + chance.below(50))) / 100);
  return { start, end: Math.min(bytes.length, start + size) };
}

export const CHANGES: Record<string, Change> = {
  unchanged: (bytes) => bytes,
  "cut short": (bytes, chance) => bytes.subarray(0, chance.below(bytes.length)),
  "without a part": (bytes, chance) => {
    const { start, end } = partOf(bytes, chance);
    return Buffer.concat([bytes.subarray(0, start), bytes.subarray(end)]);
  },
  "with zeros inside": (bytes, chance) => {
    const { start, end } = partOf(bytes, chance);
    return Buffer.from(bytes).fill(0, start, end);
  },
  joined: (bytes) => Buffer.concat([bytes, bytes]),
  "with a part twice": (bytes, chance) => {
    const { start, end } = partOf(bytes, chance);
    return Buffer.concat([bytes.subarray(0, end), bytes.subarray(start)]);
  },
};
