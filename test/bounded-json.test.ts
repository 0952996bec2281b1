/**
 * Promise: JSON that is too deep or has too many values is refused before it is parsed; all other JSON is parsed as
 * usual.
 */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { parseJson } from "../src/bounded-json.ts";

const LIMITS = { depthMax: 4, valuesMax: 10 };

describe("bounded JSON", () => {
  test.each([
    ["[[[[]]]]", null],
    ["[[[[[]]]]]", "is nested more than 4 levels deep"],
    ['{"a":{"a":{"a":{"a":{}}}}}', "is nested more than 4 levels deep"],
    ["[[],[],[],[]]", null],
    ["[[],[],[],[],[],[]]", "holds more than 10 values"],
    [`["${"[".repeat(50)}"]`, null],
    [`["a\\"${"[".repeat(50)}"]`, null],
    [`["a\\\\",${"[".repeat(50)}"]`, "is nested more than 4 levels deep"],
    ['{"a":', "is not valid JSON"],
    ['["unfinished', "is not valid JSON"],
    ["", "is not valid JSON"],
  ])("of %s has the problem %j", (text, problem) => {
    expect(parseJson(text, LIMITS).problem).toBe(problem);
  });

  test("reads what JSON.parse reads", () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), (text) => {
        expect(parseJson(text)).toEqual({ value: JSON.parse(text), problem: null });
      }),
    );
  });

  test("refuses eight million brackets without building them", () => {
    const before = process.memoryUsage().heapUsed;
    expect(parseJson("[".repeat(8e6)).problem).toBe("is nested more than 32 levels deep");
    expect(parseJson(`[${"0,".repeat(4e6)}0]`).problem).toBe("holds more than 2000 values");
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(64 * 1024 * 1024);
  });
});
