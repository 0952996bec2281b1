/** Promise: both laws decode as in the tables of the recommendation. */
import { expect, test } from "bun:test";
import { decodeAlaw, decodeUlaw } from "../../src/audio/g711.ts";

const sixteenBits = (samples: Float32Array) => [...samples].map((sample) => sample * 32_768);

test("u-law decodes to the tables' values at its ends, zeros and steps", () => {
  const bytes = Uint8Array.of(0x00, 0x80, 0x7f, 0xff, 0x0f, 0x8f, 0x70, 0xf0);
  expect(sixteenBits(decodeUlaw(bytes))).toEqual([-32124, 32124, -0, 0, -16764, 16764, -120, 120]);
});

test("A-law decodes to the tables' values at its ends, smallest steps and in between", () => {
  const bytes = Uint8Array.of(0x2a, 0xaa, 0x55, 0xd5, 0x15, 0x95, 0x45, 0xc5);
  expect(sixteenBits(decodeAlaw(bytes))).toEqual([-32256, 32256, -8, 8, -2112, 2112, -264, 264]);
});

test.each([
  ["u-law", decodeUlaw],
  ["A-law", decodeAlaw],
])("%s is symmetric and grows with its code", (_name, decode) => {
  const all = decode(Uint8Array.from({ length: 256 }, (_, byte) => byte));
  for (let byte = 0; byte < 128; byte++) expect(all[byte]).toBe(-all[byte + 128]!);
  expect(new Set([...all].map((sample) => sample || 0)).size).toBeGreaterThanOrEqual(255);
});
