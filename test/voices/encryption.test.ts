/** Promise: what is encrypted opens in its own place only, and not after any change. */
import { expect, test } from "bun:test";
import { encodingBytes, readEncoding } from "../../src/voices/encoding.ts";
import { openEncryption } from "../../src/voices/encryption.ts";
import { openStyleCache } from "../../src/voices/style-cache.ts";

const encryption = openEncryption({
  configured: "one secret of the operator",
  generated: async () => "another that was generated",
});
const text = Buffer.from("what somebody said");

test("an encrypted text opens in its place, and differs each time", async () => {
  const sealed = await encryption.encrypt("voice_1/recording", text);
  expect(await encryption.decrypt("voice_1/recording", sealed)).toEqual(text);
  expect(await encryption.encrypt("voice_1/recording", text)).not.toEqual(sealed);
  expect(await encryption.decrypt("voice_2/recording", sealed)).toBeNull();
  expect(await encryption.decrypt("voice_1/consent", sealed)).toBeNull();
});

test("no byte of an encrypted text can be changed or left out", async () => {
  const sealed = await encryption.encrypt("place", text);
  for (let index = 0; index < sealed.length; index++) {
    const changed = Buffer.from(sealed);
    changed[index]! ^= 1;
    expect(await encryption.decrypt("place", changed)).toBeNull();
    expect(await encryption.decrypt("place", sealed.subarray(0, index))).toBeNull();
  }
});

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
