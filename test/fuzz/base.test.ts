/** Promise: fuzzing with the same seed does the same. */
import { expect, test } from "bun:test";
import { mutate } from "./mutate.ts";
import { FUZZ_TIMEOUT_MS, fuzz, openChance } from "./random.ts";

test("the same case damages the same bytes in the same way", () => {
  const original = Buffer.from("RIFF0000WAVEfmt and some more");
  const once = mutate(original, openChance(5));
  expect(mutate(original, openChance(5))).toEqual(once);
  expect(original.toString()).toBe("RIFF0000WAVEfmt and some more");
});

test(
  "a failing case is named with its seed",
  async () => {
    const failing = fuzz(async (_, number) => {
      if (number === 3) throw new Error("broke");
    });
    await expect(failing).rejects.toThrow(/^fuzz case 3 of seed \d+ failed/);
  },
  FUZZ_TIMEOUT_MS,
);
