/** Promise: a QR code that pages draw says its text, with a light edge around it. */
import { expect, test } from "bun:test";
import { qrShape } from "../../src/web/ui/qr-shape.ts";

/** Of version 1, by ISO/IEC 18004: 21 modules a side, one block of data. */
const SIDE = 21;
const EDGE = 4;

const MASKS: ((x: number, y: number) => number)[] = [
  (x, y) => (x + y) % 2,
  (_, y) => y % 2,
  (x) => x % 3,
  (x, y) => (x + y) % 3,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2,
  (x, y) => ((x * y) % 2) + ((x * y) % 3),
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2,
];

/** What a reader makes of the modules, without correcting errors. */
function read(isDark: (x: number, y: number) => boolean): string {
  const format = [12, 11, 10].map((bit) => Number(isDark(14 - bit, 8)));
  const masked = (0x5412 >> 10) & 7;
  const mask = MASKS[Number.parseInt(format.join(""), 2) ^ masked]!;
  const isFixed = (x: number, y: number) =>
    x === 6 || y === 6 || (x < 9 && y < 9) || (x > 12 && y < 9) || (x < 9 && y > 12);
  let bits = "";
  for (let right = SIDE - 1; right >= 1; right -= right === 8 ? 3 : 2)
    for (let step = 0; step < SIDE; step++)
      for (const x of [right, right - 1]) {
        const isUpward = ((right + 1) & 2) === 0;
        const y = isUpward ? SIDE - 1 - step : step;
        if (!isFixed(x, y)) bits += Number(isDark(x, y) !== (mask(x, y) === 0));
      }
  expect(bits.slice(0, 4)).toBe("0100"); // bytes
  const length = Number.parseInt(bits.slice(4, 12), 2);
  const bytes = Array.from({ length }, (_, at) => Number.parseInt(bits.slice(12 + at * 8, 20 + at * 8), 2));
  return Buffer.from(bytes).toString();
}

test.each(["loquat", "a", "ß, ü"])("the code of %p says it", (text) => {
  const { size, path } = qrShape(text);
  expect(size).toBe(SIDE + 2 * EDGE);
  const dark = new Set([...path.matchAll(/M(\d+) (\d+)h1v1h-1z/g)].map(([, x, y]) => `${x} ${y}`));
  const isDark = (x: number, y: number) => dark.has(`${x + EDGE} ${y + EDGE}`);
  expect(read(isDark)).toBe(text);
  for (const place of dark)
    for (const at of place.split(" ").map(Number)) {
      expect(at).toBeGreaterThanOrEqual(EDGE);
      expect(at).toBeLessThan(EDGE + SIDE);
    }
});
