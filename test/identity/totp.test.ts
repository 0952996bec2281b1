/** Promise: codes are those of RFC 6238, and one counts in its own 30 seconds and the 30 around them. */
import { expect, test } from "bun:test";
import { codeOf, stepOf } from "../../src/identity/second-factor.ts";

/** Appendix B of the RFC, which prints eight digits: the last six are those of a code of six. */
const VECTORS: [seconds: number, code: string][] = [
  [59, "94287082"],
  [1_111_111_109, "07081804"],
  [1_111_111_111, "14050471"],
  [1_234_567_890, "89005924"],
  [2_000_000_000, "69279037"],
  [20_000_000_000, "65353130"],
];
const SECRET = "12345678901234567890";

test.each(VECTORS)("at %d seconds it is %s", (seconds, code) => {
  expect(codeOf(SECRET, Math.floor(seconds / 30))).toBe(code.slice(2));
});

test("a code is recognized one step early and one step late, and no further", () => {
  const code = codeOf(SECRET, 100);
  const seen = [98, 99, 100, 101, 102].map((step) => stepOf(code, SECRET, step * 30 + 29));
  expect(seen).toEqual([null, 100, 100, 100, null]);
});

test.each(["", "12345", "1234567", "abcdef", "ä23456"])("%p is the code of no step", (code) => {
  expect(stepOf(code, SECRET, 3000)).toBeNull();
});
