/** Promise: passwords are verified, and hashing is bounded: a flood is refused instead of queued. */
import { expect, test } from "bun:test";
import { hashPassword, verifyPassword } from "better-auth/crypto";
import { openHashing } from "../../src/identity/password-hashing.ts";

test("a password verifies, also with an older hash", async () => {
  const { hash, verify } = openHashing();
  const [ours, theirs] = [await hash("correct horse \u00fc"), await hashPassword("correct horse u\u0308")];
  expect(await hash("correct horse \u00fc")).not.toBe(ours); // salted
  for (const kept of [ours, theirs]) expect(await verify("correct horse \u00fc", kept)).toBe(true);
  expect(await verifyPassword({ hash: ours, password: "correct horse \u00fc" })).toBe(true);
  for (const kept of [ours, theirs, "", "x:", "x:y"]) expect(await verify("another", kept)).toBe(false);
});

test("in a flood, the first requests wait, the rest are refused with retry-after, and the queue recovers", async () => {
  const { hash } = openHashing();
  const storm = await Promise.allSettled(Array.from({ length: 60 }, () => hash("correct horse")));
  const refused = storm.flatMap((each) => (each.status === "rejected" ? [each.reason] : []));
  expect(60 - refused.length).toBeWithin(33, 35);
  expect(refused[0]).toMatchObject({ code: "rate_limit_exceeded", retryAfterSeconds: 5 });
  expect(await hash("correct horse")).toContain(":");
});
