/** Promise: base64 of any length is decoded as in one step, or refused whole, and the event loop goes on meanwhile. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { decodeBase64 } from "../../../../src/api/middleware/body/base64.ts";
import { decodeAudio } from "../../../../src/api/v1/realtime/frames.ts";

const SLICE = 256 * 1024;

/** What one step makes of it. */
function whole(text: string): Buffer | null {
  try {
    return Buffer.from(Uint8Array.fromBase64(text));
  } catch {
    return null;
  }
}

const sliced = async (text: string) => {
  try {
    return Buffer.concat(await decodeAudio(text));
  } catch {
    return null;
  }
};

const isSame = (a: Buffer | null, b: Buffer | null) => (a === null || b === null ? a === b : a.equals(b));

test("whatever stands around the ends of slices, it is what one step decodes", async () => {
  const ends = fc
    .array(fc.constantFrom("QUJD", "A", "b+/", "=", "==", " ", "\n", "\t\r", "-", "é", "\0"), {
      maxLength: 8,
    })
    .map((parts) => parts.join(""));
  const run = "QUJD".repeat(SLICE / 4 - 4);
  await fc.assert(
    fc.asyncProperty(fc.nat(12), fc.tuple(ends, ends, ends), async (shift, [first, second, last]) => {
      const text = `${"QUJD".repeat(shift).slice(shift)}${run}${first}${run}${second}${last}`;
      expect(isSame(await sliced(text), whole(text))).toBe(true);
    }),
    { numRuns: 150 },
  );
});

test.each([
  ["a letter that is none, at the very end", `${"QUJD".repeat(SLICE)}§`],
  ["text after padding at the end of a slice", `${"QUJD".repeat(SLICE / 4 - 1)}QQ==QUJD`],
  ["padding of an earlier slice, then a letter", `${"QUJD".repeat(SLICE / 4 - 1)}QQ==${" ".repeat(SLICE)}QQ`],
])("refuses %s", async (_name, text) => {
  expect(whole(text)).toBe(null);
  expect(await sliced(text)).toBe(null);
});

test("text of 64 Ki characters may be all white space, longer text at most a third", async () => {
  expect(await sliced(" ".repeat(64 * 1024))).toEqual(Buffer.alloc(0));
  expect(await sliced(" ".repeat(64 * 1024 + 1))).toBe(null);
  const mime = `${"A".repeat(76)}\r\n`.repeat(10_000);
  expect(await sliced(mime)).toEqual(Buffer.alloc(570_000));
});

test("of the alphabet for addresses, it is decoded alike, and never of both", async () => {
  const bytes = Buffer.alloc(SLICE, "\u{fb}\u{ff}~").subarray(0, SLICE - 1);
  const url = await decodeBase64(bytes.toString("base64url"), "base64url");
  expect(Buffer.concat(url ?? []).equals(bytes)).toBe(true);
  expect(await decodeBase64(bytes.toString("base64"), "base64url")).toBe(null);
  expect(await decodeBase64(bytes.toString("base64url"))).toBe(null);
});

test("other work runs while twenty megabytes are decoded", async () => {
  let rounds = 0;
  const count = () => {
    rounds++;
    next = setImmediate(count);
  };
  let next = setImmediate(count);
  expect((await sliced("A".repeat(20_000_000)))?.length).toBe(15_000_000);
  clearImmediate(next);
  expect(rounds).toBeGreaterThan(50);
});
