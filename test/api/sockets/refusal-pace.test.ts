/** Promise: large refused frames are answered at one rate for the server, organizations in turn, and at once when it closes. */
import { expect, test } from "bun:test";
import { openRefusalPace } from "../../../src/api/sockets/refusal-pace.ts";

const KIB = 1024;
const open = (closing = new AbortController()) => openRefusalPace(closing.signal);

test("frames of eight MiB are answered once a second, however many wait", async () => {
  const pace = open();
  const begun = performance.now();
  await Promise.all(Array.from({ length: 16 }, () => pace("org_1", 64 * KIB)));
  expect(performance.now() - begun).toBeGreaterThan(120); // 1 MiB
});

test("an organization waits for one frame of another, not for all of them", async () => {
  const pace = open();
  const answered: string[] = [];
  const wait = (organizationId: string) =>
    pace(organizationId, 16 * KIB).then(() => answered.push(organizationId));
  await Promise.all([wait("a"), wait("a"), wait("a"), wait("a"), wait("b"), wait("b")]);
  expect(answered).toEqual(["a", "b", "a", "b", "a", "a"]);
});

test("nothing waits once the server is closing", async () => {
  const closing = new AbortController();
  const pace = open(closing);
  const waiting = Promise.all([pace("a", 1e12), pace("a", 1e12), pace("b", 1e12)]);
  closing.abort();
  await waiting;
  await pace("a", 1e12);
});
