/** Promise: base64 gives the same bytes however it is escaped and divided, and nothing else is taken for base64. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { Base64File } from "../../../../src/api/middleware/body/audio-json.ts";

function decode(text: string, size: number): Uint8Array {
  const file = new Base64File(() => {}, 0);
  const bytes = Buffer.from(text);
  for (let offset = 0; offset < bytes.length; offset += size)
    file.append(bytes.subarray(offset, offset + size));
  return file.end();
}

const ESCAPES: [string, string][] = [
  ["/", "\\u002f"],
  ["/", "\\/"],
  ["+", "\\u002B"],
  ["=", "\\u003d"],
];

test("escaped base64 in chunks of any size is decoded", () => {
  const escapes = fc.subarray(ESCAPES);
  fc.assert(
    fc.property(fc.uint8Array(), escapes, fc.integer({ min: 1, max: 9 }), (bytes, chosen, size) => {
      const base64 = Buffer.from(bytes).toString("base64");
      const text = chosen.reduce((escaped, [plain, sequence]) => escaped.replaceAll(plain, sequence), base64);
      expect([...decode(text, size)]).toEqual([...bytes]);
    }),
  );
});

test.each(["A", "AAAA=", "AA==AAAA", "AA\\", "AAA\\u00", "AAAA\\u0041AAA", "AA A", "ŁŁŁŁ"])(
  "%s is refused",
  (text) => {
    for (const size of [1, 3, 100]) expect(() => decode(text, size)).toThrow("has no valid base64");
  },
);
