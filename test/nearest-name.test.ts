/** Promise: a name with one or two slips is recognized, and others are not guessed at, however long they are. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { didYouMean, nearestName } from "../src/nearest-name.ts";

const NAMES = ["alloy", "female-warm", "male-deep", "svc-tts1", "svc-tts2", "de"];

test.each([
  ["alloyy", "alloy"],
  ["aloy", "alloy"],
  ["Alloi", "alloy"],
  ["femal-warn", "female-warm"],
  ["svc-tts", "svc-tts1"],
  ["svc_tts2", "svc-tts2"],
  ["svc-tst2", "svc-tts2"], // swapped
  [" male-deep ", "male-deep"],
])("%p means %p", (asked, name) => {
  expect(nearestName(asked, NAMES)).toBe(name);
  expect(didYouMean(asked, NAMES)).toBe(` Did you mean ${name}?`);
});

test.each(["", "x", "en", "nobody", "aly", "alloyyyy", "female-w", "a".repeat(100_000)])(
  "nothing is meant by %.20s",
  (asked) => {
    expect(nearestName(asked, NAMES)).toBeNull();
    expect(didYouMean(asked, NAMES)).toBe("");
  },
);

test("of several near names it is the nearest, and a name that exists is itself", () => {
  const word = fc.stringMatching(/^[a-d]{6,12}$/);
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 8 }), (names) => {
      for (const name of names) expect(nearestName(name, names)).toBe(name);
    }),
  );
});
