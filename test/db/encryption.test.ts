/** Promise: what is encrypted opens in its own place and for its own purpose only, and not after any change. */
import { expect, test } from "bun:test";
import { openEncryption } from "../../src/db/encryption.ts";

const secrets = {
  configured: "one secret of the operator",
  generated: async () => "another that was generated",
};
const encryption = openEncryption("loquat voices", secrets);
const text = Buffer.from("a consent in words");

test("an encrypted text opens in its place and for its purpose, and differs each time", async () => {
  const sealed = await encryption.encrypt("voice_1/recording", text);
  expect(await encryption.decrypt("voice_1/recording", sealed)).toEqual(text);
  expect(await encryption.encrypt("voice_1/recording", text)).not.toEqual(sealed);
  expect(await encryption.decrypt("voice_2/recording", sealed)).toBeNull();
  expect(await encryption.decrypt("voice_1/consent", sealed)).toBeNull();
  expect(await openEncryption("loquat mail", secrets).decrypt("voice_1/recording", sealed)).toBeNull();
});

test("what earlier versions encrypted opens", async () => {
  const sealed = "AROL2O+KQPqXIcr5nWzL/IQIFQfaF9J/F02vUvEPHuXQZqymGCqaeA5ZDXzl9w==";
  const opened = await encryption.decrypt("voice_1/recording", Buffer.from(sealed, "base64"));
  expect(opened?.toString()).toBe("the recording");
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
