/** Promise: what engines encode of voices is read whole or not at all, and kept decrypted within a number of bytes. */
import { expect, test } from "bun:test";
import { encodingBytes, readEncoding } from "../../src/voices/encoding.ts";
import { openStyleCache } from "../../src/voices/voices.ts";

test("an encoding that is cut short or misdescribed is an error, and no voice", () => {
  const bytes = encodingBytes({ data: Float32Array.of(1, 2, 3, 4), shape: [2, 2] });
  expect(readEncoding(bytes)).toEqual({ data: Float32Array.of(1, 2, 3, 4), shape: [2, 2] });
  for (let length = 0; length < bytes.length; length++)
    expect(() => readEncoding(bytes.subarray(0, length))).toThrow("no voice encoding");
});

test("voices are kept decrypted up to a number of bytes, the ones used last", () => {
  const cache = openStyleCache(32);
  const style = (id: string) => ({ id, data: new Float32Array(4), shape: [4] });
  for (const id of ["a/x", "b/x"]) cache.put(id, style(id));
  cache.get("a/x");
  cache.put("c/x", style("c/x"));
  expect(["a/x", "b/x", "c/x"].map((id) => cache.get(id) !== null)).toEqual([true, false, true]);
  cache.forget("a/");
  expect(cache.get("a/x")).toBeNull();
});
