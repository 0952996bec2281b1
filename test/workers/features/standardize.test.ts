/** Promise: standardized samples equal NumPy's, `(x - x.mean()) / np.sqrt(x.var() + 1e-7)` in float32, to the bit. */
import { expect, test } from "bun:test";
import { standardize } from "../../../workers/features/standardize.ts";

const { fround } = Math;

const signal = (length: number) =>
  Float32Array.from({ length }, (_, at) => {
    const steps = ((at * 7919 + ((at * at) % 104_729)) % 65_536) - 32_768;
    return (steps / 32_768) * fround(0.3);
  });

/** The checksums are those of NumPy 2.4.6. */
test.each([
  [5, 0x6fa83e7f],
  [100, 0x6c4fc13a],
  [1003, 0x73d9040e],
  [128_000, 0x409a2e76],
])("of %d samples", (length, checksum) => {
  const standardized = standardize(signal(length));
  expect(Bun.hash.crc32(new Uint8Array(standardized.buffer))).toBe(checksum);
});

test("of silence is silence", () => {
  expect(standardize(new Float32Array(300))).toEqual(new Float32Array(300));
});
