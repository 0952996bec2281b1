/** Promise: reads of one organization do not delay others, and do not pile up. */
import { expect, test } from "bun:test";
import { readInTurns } from "../../src/ledger/fair-queue.ts";
import type { UsageQuery } from "../../src/ledger/ledger.ts";
import type { Store } from "../../src/ledger/store.ts";

/** Reads that end when the test says so, in the order they were begun. */
function openSlow() {
  const begun: { organizationId: string; end: () => void; fail: (why: Error) => void }[] = [];
  const usage = ({ organizationId }: UsageQuery) =>
    new Promise<never[]>((resolve, reject) =>
      begun.push({ organizationId, end: () => resolve([]), fail: reject }),
    );
  const store = readInTurns({ usage } as unknown as Store, 2);
  const ask = (organizationId: string) => store.usage({ organizationId } as UsageQuery);
  return { begun, ask, names: () => begun.map((one) => one.organizationId).join("") };
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

test("a third read of one organization waits, and other organizations do not", async () => {
  const { begun, ask, names } = openSlow();
  const asked = ["a", "a", "a", "b", "b", "c"].map(ask);
  await turn();
  expect(names()).toBe("ab");
  begun[1]!.end();
  await turn();
  expect(names()).toBe("abc"); // not one more of a, whose first still goes on
  begun[2]!.end();
  await turn();
  expect(names()).toBe("abcb");
  for (let index = 0; index < asked.length; index++) {
    begun[index]!.end();
    await turn();
  }
  await Promise.all(asked);
  expect(names()).toBe("abcbaa");
});

test("at most sixteen reads wait, and a failed one makes room", async () => {
  const { begun, ask } = openSlow();
  const asked = Array.from({ length: 17 }, () => ask("a"));
  const ended = Promise.allSettled(asked);
  await expect(ask("a")).rejects.toMatchObject({ code: "rate_limit_exceeded", retryAfterSeconds: 1 });
  void ask("b");
  await turn();
  begun[0]!.fail(new Error("gone"));
  await turn();
  asked.push(ask("a"));
  for (let index = 1; index < 19; index++) {
    begun[index]!.end();
    await turn();
  }
  const outcomes = (await ended).map(({ status }) => status);
  expect(outcomes).toEqual(["rejected", ...Array(16).fill("fulfilled")]);
});
