/**
 * Promise: JSON that is too deep or has too many values is refused before it is parsed; all other JSON is parsed as
 * usual.
 */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { faultIn, parseJson } from "../src/bounded-json.ts";

const LIMITS = { depthMax: 4, valuesMax: 10 };

const ENDS = ["}", "]", '"', ":0}", '":0}', "]}", "}]", "0", "0}", "0]"];

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

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
    ['{"a":', "is not valid JSON at character 6"],
    ['["unfinished', "is not valid JSON at character 13"],
    ["", "is not valid JSON at character 1"],
    ['{"a":1,}', "is not valid JSON at character 8"],
    ["{'a':1}", "is not valid JSON at character 2"],
    ['{"a":1 "b":2}', "is not valid JSON at character 8"],
    ['{"a" 1}', "is not valid JSON at character 6"],
    ['{"a":01}', "is not valid JSON at character 7"],
    ['{"a":1]', "is not valid JSON at character 7"],
    ["[1] 2", "is not valid JSON at character 5"],
    ["[,]", "is not valid JSON at character 2"],
    ['["\\x"]', "is not valid JSON at character 3"],
    ['["a\nb"]', "is not valid JSON at character 4"],
    ["1:", "is not valid JSON at character 2"],
    ["\ufeff{}", "is not valid JSON at character 1"],
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

  test("names the first character at which no valid JSON can go on", () => {
    const text = fc.json({ maxDepth: 3 });
    const change = fc.record({
      at: fc.nat(),
      put: fc.constantFrom("", "{", "}", "[", "]", ",", ":", '"', "x", "0"),
    });
    fc.assert(
      fc.property(text, change, (valid, { at, put }) => {
        const broken = valid.slice(0, at % valid.length) + put + valid.slice((at % valid.length) + 1);
        if (isJson(broken)) return;
        const fault = faultIn(broken);
        expect(fault).toBeGreaterThanOrEqual(1);
        expect(fault).toBeLessThanOrEqual(broken.length + 1);
        if (fault <= broken.length && !/[-+.eE]/.test(broken[fault - 1]!))
          expect(["", ...ENDS].some((end) => isJson(broken.slice(0, fault) + end))).toBe(false);
      }),
    );
  });

  test.each([
    ["letters", "a"],
    ["letters of two bytes", "ä"],
    ["escapes", "\\n"],
  ])("names the end of a string of millions of %s", (_name, letter) => {
    const text = `{"input":"${letter.repeat(8e6 / letter.length)}`;
    expect(parseJson(text).problem).toBe(`is not valid JSON at character ${text.length + 1}`);
    expect(parseJson(`${text}",}`).problem).toBe(`is not valid JSON at character ${text.length + 3}`);
  });

  test("refuses eight million brackets without building them", () => {
    const before = process.memoryUsage().heapUsed;
    expect(parseJson("[".repeat(8e6)).problem).toBe("is nested more than 32 levels deep");
    expect(parseJson(`[${"0,".repeat(4e6)}0]`).problem).toBe("holds more than 2000 values");
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(64 * 1024 * 1024);
  });
});
