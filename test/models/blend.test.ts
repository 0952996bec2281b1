/** Promise: blends read as they are written, with bounds, and anything else is no blend; voices that go together are known. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { parseBlend, sharesOf } from "../../src/models/blend.ts";
import { blendSets } from "../../src/models/choose-voice.ts";
import type { Voice } from "../../src/models/manifest.ts";

test("names with and without weights are read", () => {
  expect(parseBlend("a+b")).toEqual([
    { name: "a", weight: 1 },
    { name: "b", weight: 1 },
  ]);
  expect(parseBlend(" af_heart(2) + af_sky(0.5)")).toEqual([
    { name: "af_heart", weight: 2 },
    { name: "af_sky", weight: 0.5 },
  ]);
});

test.each([
  "+",
  "a+",
  "+b",
  "a(0)+b",
  "a(101)+b",
  "a(1e3)+b",
  "a(-1)+b",
  "a(1+b",
  "a)+b",
  "(2)+b",
  "a(NaN)+b",
  "a(1)x+b",
])("%s is no blend", (text) => expect(parseBlend(text)).toBeNull());

test("a blend has at most eight parts", () => {
  expect(parseBlend(new Array(8).fill("a").join("+"))).toHaveLength(8);
  expect(parseBlend(new Array(9).fill("a").join("+"))).toBeNull();
});

test("any text is answered, and shares add up to one", () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const parts = parseBlend(text);
      if (parts === null) return;
      const shares = sharesOf(parts.map(({ name, weight }) => ({ speaker: name, weight })));
      expect(shares.reduce((sum, { weight }) => sum + weight, 0)).toBeCloseTo(1, 10);
      expect(new Set(shares.map(({ speaker }) => speaker)).size).toBe(shares.length);
    }),
  );
});

test("voices can be blended with those of the same engine, where it has two that mix", () => {
  const voice = (id: string, engine: string, blending = true) => ({ id, engine, blending }) as Voice;
  const mixing = [voice("a", "kokoro"), voice("b", "upstream"), voice("c", "kokoro")];
  const others = [voice("d", "flite", false), voice("e", "flite", false)];
  expect(blendSets({ voices: [...mixing, ...others] })).toEqual([["a", "c"]]);
});
