/** Promise: reads of accounts that wait are made together, and no read returns a state from before it was asked for. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { newAccount } from "../../src/ledger/booking/burn-down.ts";
import { shareReads } from "../../src/ledger/shared-reads.ts";
import { loopTurn } from "../until.ts";

/** A database whose reads end when they are let go; its state is a count that every look increments. */
function openDatabase() {
  let state = 0;
  const underWay: { ids: string[]; fail(): void; finish(): void }[] = [];
  const shared = shareReads(({ organizationIds: ids, periods }) => {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const seen = state;
    underWay.push({
      ids,
      finish: () =>
        resolve({
          accounts: ids.filter((id) => id !== "none").map((id) => accountOf(id, seen)),
          budgets: new Map(periods.map((period) => [period.join(" "), period[2]])),
        }),
      fail: () => reject(new Error("lost")),
    });
    return promise;
  });
  const read = (organizationId: string, now: number) => shared({ organizationId, now });
  return { read, shared, underWay, write: () => ++state };
}

type Answer = { accounts: ReturnType<typeof accountOf>[]; budgets: Map<string, number> };

const accountOf = (organizationId: string, balanceMicros: number) => ({
  ...newAccount(organizationId),
  balanceMicros,
});

test("three reads run at once, and the others wait for one together", async () => {
  const { read, underWay } = openDatabase();
  const answers = ["a", "b", "c", "d", "e", "d", "none"].map((id) => read(id, 1));
  expect(underWay.map(({ ids }) => ids)).toEqual([["a"], ["b"], ["c"]]);
  underWay[1]!.finish();
  await answers[1];
  await loopTurn();
  expect(underWay.map(({ ids }) => ids)).toEqual([["a"], ["b"], ["c"], ["d", "e", "none"]]);
  for (const { finish } of underWay) finish();
  expect((await Promise.all(answers)).map((each) => each?.organizationId ?? null)).toEqual([
    ...["a", "b", "c", "d", "e", "d"],
    null,
  ]);
});

test("each has the budgets that it asked for, in their order", async () => {
  const { shared, underWay } = openDatabase();
  const ask = (organizationId: string, ...starts: number[]) =>
    shared({ organizationId, now: 1, periods: starts.map((start) => ["key", start]) });
  const answers = [ask("x"), ask("y"), ask("z"), ask("a", 7, 5), ask("b", 6), ask("a")];
  underWay[0]!.finish();
  await answers[0];
  await loopTurn();
  for (const { finish } of underWay) finish();
  const counted = (await Promise.all(answers)).slice(3).map((each) => each!.budgetMicros);
  expect(counted).toEqual([[7, 5], [6], []]);
});

test("a read that fails rejects those that share it, and no other", async () => {
  const { read, underWay } = openDatabase();
  const answers = ["a", "b", "c", "d", "e", "f"].map((id) => read(id, 1));
  const settled = Promise.allSettled(answers);
  underWay[0]!.fail();
  await answers[0]!.catch(() => {});
  await loopTurn();
  underWay[3]!.fail();
  for (const { finish } of underWay) finish();
  expect((await settled).map(({ status }) => status)).toEqual([
    "rejected",
    "fulfilled",
    "fulfilled",
    "rejected",
    "rejected",
    "rejected",
  ]);
});

test("no account is older than its read, in any order of writes, reads and answers", async () => {
  const step = fc.constantFrom("read", "write", "finish");
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const { read, underWay, write } = openDatabase();
      let state = 0;
      const checks: Promise<void>[] = [];
      const finishOne = () => underWay.shift()?.finish();
      for (const each of steps) {
        if (each === "write") state = write();
        else if (each === "finish") finishOne();
        else {
          const asked = state;
          checks.push(
            read("a", 1).then((account) => expect(account!.balanceMicros).toBeGreaterThanOrEqual(asked)),
          );
        }
        await loopTurn();
      }
      while (underWay.length > 0) {
        finishOne();
        await loopTurn();
      }
      await Promise.all(checks);
    }),
    { numRuns: 200 },
  );
});
