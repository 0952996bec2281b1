/** Promise: passwords are verified, and hashing is bounded: a flood is refused instead of queued, and callers take turns. */
import { expect, test } from "bun:test";
import { hashPassword, verifyPassword } from "better-auth/crypto";
import { type Hashing, type HashingCaller, openHashing } from "../../src/identity/password-hashing.ts";
import { loopTurn } from "../until.ts";

test("a password verifies, also with an older hash", async () => {
  const { hash, verify } = openHashing();
  const [ours, theirs] = [await hash("correct horse \u00fc"), await hashPassword("correct horse u\u0308")];
  expect(await hash("correct horse \u00fc")).not.toBe(ours); // salted
  for (const kept of [ours, theirs]) expect(await verify("correct horse \u00fc", kept)).toBe(true);
  expect(await verifyPassword({ hash: ours, password: "correct horse \u00fc" })).toBe(true);
  for (const kept of [ours, theirs, "", "x:", "x:y"]) expect(await verify("another", kept)).toBe(false);
});

const unknown = (name: string) => ({ name, isKnown: false });

/** Hashes for a caller so often at once. Resolves to how many were not refused, and a refusal. */
async function storm({ hash, asCaller }: Hashing, caller: HashingCaller, times: number) {
  const hashed = Array.from({ length: times }, () => asCaller(caller, () => hash("correct horse")));
  const settled = await Promise.allSettled(hashed);
  const refused = settled.flatMap((each) => (each.status === "rejected" ? [each.reason] : []));
  return { done: times - refused.length, refusal: refused[0] };
}

test("in a flood, the first requests wait, the rest are refused with retry-after, and the queue recovers", async () => {
  const hashing = openHashing();
  const { done, refusal } = await storm(hashing, unknown("a site"), 60);
  expect(done).toBeWithin(33, 35);
  expect(refusal).toMatchObject({ code: "rate_limit_exceeded", retryAfterSeconds: 5 });
  expect(await hashing.hash("correct horse")).toContain(":");
});

test("a flood of one caller delays another by few hashes", async () => {
  const { hash, asCaller } = openHashing();
  let done = 0;
  const flood = Array.from({ length: 30 }, async () => {
    await asCaller(unknown("a site"), () => hash("wrong horse"));
    done++;
  });
  await asCaller(unknown("a network"), () => hash("correct horse"));
  expect(done).toBeLessThan(6);
  await Promise.all(flood);
});

test("callers far apart share a bounded queue, in which a known account always has a place", async () => {
  const hashing = openHashing();
  const floods = Array.from({ length: 50 }, (_, index) => storm(hashing, unknown(`site ${index}`), 2));
  const [known, another] = await Promise.all([
    storm(hashing, { name: "an account", isKnown: true }, 1),
    storm(hashing, unknown("one more"), 1),
  ]);
  expect([known.done, another.done]).toEqual([1, 0]);
  const done = (await Promise.all(floods)).reduce((sum, each) => sum + each.done, 0);
  expect(done).toBeWithin(33, 67);
});

test("what a caller's work hashes after other work is in its turns too", async () => {
  const { hash, asCaller } = openHashing();
  const late = async () => {
    await loopTurn();
    return hash("correct horse");
  };
  const flood = Array.from({ length: 40 }, () => asCaller(unknown("a site"), late));
  const settled = await Promise.allSettled(flood);
  expect(settled.filter(({ status }) => status === "fulfilled").length).toBeWithin(33, 35);
});
