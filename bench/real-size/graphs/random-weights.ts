/** Random weights in any number, a part at a time: one block of them, over and over. */
import { openRandom, weights } from "../../../testing/packages/random.ts";

const BLOCK = 2 ** 18;
const block = weights(openRandom(5), BLOCK, 1);
const bytes = Uint8Array.from(block, (value) => (value + 1) * 127.99);

const bytesOf = ({ buffer, byteOffset, byteLength }: Float32Array) =>
  new Uint8Array(buffer, byteOffset, byteLength);

/** Of 4 bytes each. */
export function* floatsAtRandom(count: number, reach: number): Generator<Uint8Array> {
  const scaled = bytesOf(block.map((value) => value * reach));
  yield* repeated(scaled, count * Float32Array.BYTES_PER_ELEMENT);
}

export const bytesAtRandom = (count: number): Generator<Uint8Array> => repeated(bytes, count);

function* repeated(part: Uint8Array, length: number): Generator<Uint8Array> {
  for (let left = length; left > 0; left -= part.length) yield part.subarray(0, left);
}
