/** Promise: what stands before the sound of a file is made once for the ranges that players ask for, and few are kept. */
import { expect, test } from "bun:test";
import { openHeads } from "../../src/jobs/speech-head.ts";

function counted() {
  const heads = openHeads();
  const made: string[] = [];
  return {
    made,
    heads,
    of: (name: string) => heads.of(name, async () => Buffer.from(`${name}${made.push(name)}`)),
  };
}

test("a head is made once, also for two that ask at once", async () => {
  const { of, made } = counted();
  const [one, two] = await Promise.all([of("a"), of("a")]);
  expect([one, two, await of("a")].map(String)).toEqual(["a1", "a1", "a1"]);
  expect(made).toEqual(["a"]);
});

test("of more than four files, the first is forgotten", async () => {
  const { of, made } = counted();
  for (const name of ["a", "b", "c", "d", "e", "b", "a"]) await of(name);
  expect(made).toEqual(["a", "b", "c", "d", "e", "a"]);
});

test("one that fails is made again", async () => {
  const { heads, of } = counted();
  await expect(heads.of("a", () => Promise.reject(new Error("missing")))).rejects.toThrow("missing");
  expect(String(await of("a"))).toBe("a1");
});
