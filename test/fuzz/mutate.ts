/** Damage to bytes as fuzzers do it: flipped bits, telling numbers, runs cut out, doubled, moved or spliced in. */
import type { Chance } from "./random.ts";

const TELLING = [0, 1, 0x7f, 0x80, 0xff];

type Damage = (bytes: Buffer, chance: Chance) => Buffer;

const DAMAGES: readonly Damage[] = [
  (bytes, chance) => {
    const offset = chance.below(bytes.length);
    bytes[offset] = bytes[offset]! ^ (1 << chance.below(8));
    return bytes;
  },
  (bytes, chance) => {
    bytes[chance.below(bytes.length)] = chance.pick(TELLING);
    return bytes;
  },
  (bytes, chance) => {
    const { start, end } = run(bytes, chance);
    return bytes.fill(chance.pick(TELLING), start, end);
  },
  (bytes, chance) => {
    const { start, end } = run(bytes, chance);
    return Buffer.concat([bytes.subarray(0, start), bytes.subarray(end)]);
  },
  (bytes, chance) => {
    const { start, end } = run(bytes, chance);
    return Buffer.concat([bytes.subarray(0, end), bytes.subarray(start)]);
  },
  (bytes, chance) => {
    const { start } = run(bytes, chance);
    return Buffer.concat([
      bytes.subarray(0, start),
      chance.bytes(1 + chance.below(64)),
      bytes.subarray(start),
    ]);
  },
  (bytes, chance) => bytes.subarray(0, chance.below(bytes.length)),
];

/** A damaged copy; one to eight injuries. */
export function mutate(original: Uint8Array, chance: Chance): Buffer {
  let bytes: Buffer = Buffer.from(original);
  for (let left = 1 + chance.below(8); left > 0 && bytes.length > 0; left--) {
    bytes = chance.pick(DAMAGES)(bytes, chance);
  }
  return bytes;
}

function run(bytes: Buffer, chance: Chance): { start: number; end: number } {
  const start = chance.below(bytes.length);
  return { start, end: Math.min(bytes.length, start + 1 + chance.below(chance.pick([4, 64, 1024]))) };
}
