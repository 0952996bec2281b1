/** Promise: typed dollars are parsed to the micro, and invalid amounts get a helpful error. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { dollarsOf, microsOf, problemOf } from "../../src/web/format/amount.ts";

describe("typed dollars", () => {
  test.each([
    ["5", 5_000_000],
    ["5.", 5_000_000],
    [" $20 ", 20_000_000],
    ["$ 20.5", 20_500_000],
    ["1,000", 1_000_000_000],
    ["1,234,567.89", 1_234_567_890_000],
    [".05", 50_000],
    ["0.000001", 1],
    ["0.1", 100_000],
    ["0.7", 700_000],
    ["1.15", 1_150_000], // 1.15 * 100 is 114.99999999999999 in floating point
    ["4.35", 4_350_000],
    ["8.03", 8_030_000],
    ["999999999.999999", 999_999_999_999_999],
  ])("%p is %p micros", (typed, micros) => {
    expect(microsOf(typed)).toBe(micros);
  });

  test.each([
    "",
    " ",
    ".",
    "$",
    "-5",
    "+5",
    "1e3",
    "5,00",
    "12,50",
    "1,00.0",
    "0.0000001",
    "5 USD",
    "NaN",
    "٥",
  ])("%p is not an amount", (typed) => {
    expect(microsOf(typed)).toBeNull();
  });

  test("every formatted amount parses to itself", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 999_999_999_999_999 }), (micros) => {
        expect(microsOf(dollarsOf(micros))).toBe(micros);
      }),
    );
  });

  test.each([
    [0, "0.00"],
    [5_000_000, "5.00"],
    [12_500_000, "12.50"],
    [12_345_600, "12.3456"],
    [1, "0.000001"],
  ])("%p micros are formatted as %p", (micros, dollars) => {
    expect(dollarsOf(micros)).toBe(dollars);
  });
});

describe("validation of an amount", () => {
  const topUp = { minMicros: 5_000_000, maxMicros: 1_000_000_000, wholeCents: true };
  test.each([
    ["5", null],
    ["1000", null],
    ["12.50", null],
    ["twelve", "Enter an amount in dollars, such as 25 or 12.50."],
    ["12.505", "Enter whole cents, such as 12.50."],
    ["4.99", "Enter at least $5.00."],
    ["1000.01", "Enter at most $1000.00."],
  ])("the error for a top-up of %p is %p", (typed, problem) => {
    expect(problemOf(typed, topUp)).toBe(problem);
  });

  test("without bounds, every amount is valid", () => {
    expect(problemOf("0", {})).toBeNull();
    expect(problemOf("0.000001", {})).toBeNull();
  });
});
