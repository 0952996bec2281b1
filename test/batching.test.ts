/** Promise: what is asked while calls are under way is in the next one, in its order, and fails with it alone. */
import { expect, test } from "bun:test";
import { inBatches } from "../src/batching.ts";
import { loopTurn } from "./until.ts";

/** Calls that end when they are let go, and double their items. */
function openCalls(batching: Parameters<typeof inBatches>[1]) {
  const underWay: { items: number[]; fail(): void; finish(): void }[] = [];
  const ask = inBatches((items: number[]) => {
    const { promise, resolve, reject } = Promise.withResolvers<number[]>();
    underWay.push({
      items,
      finish: () => resolve(items.map((item) => item * 2)),
      fail: () => reject(new Error("lost")),
    });
    return promise;
  }, batching);
  return { ask, underWay };
}

const itemsOf = (calls: { items: number[] }[]) => calls.map(({ items }) => items);

test("what is asked meanwhile is divided into the next calls, one after another", async () => {
  const { ask, underWay } = openCalls({ max: 2 });
  const answers = Promise.all([1, 2, 3, 4].map(ask));
  for (const expected of [[[1]], [[1], [2, 3]], [[1], [2, 3], [4]]]) {
    expect(itemsOf(underWay)).toEqual(expected);
    underWay.at(-1)!.finish();
    await loopTurn();
  }
  expect(await answers).toEqual([2, 4, 6, 8]);
});

test("a call that fails refuses its items only", async () => {
  const { ask, underWay } = openCalls({ atOnce: 2 });
  const settled = Promise.allSettled([1, 2, 3].map(ask));
  underWay[0]!.fail();
  await loopTurn();
  expect(itemsOf(underWay)).toEqual([[1], [2], [3]]);
  for (const { finish } of underWay.slice(1)) finish();
  expect((await settled).map(({ status }) => status)).toEqual(["rejected", "fulfilled", "fulfilled"]);
});

test("an item is refused where too many wait, and taken once they have gone", async () => {
  const { ask, underWay } = openCalls({ full: { waitingMax: 1, refusal: () => new Error("busy") } });
  const taken = [ask(1), ask(2)];
  await expect(ask(3)).rejects.toThrow("busy");
  underWay[0]!.finish();
  await loopTurn();
  taken.push(ask(3));
  underWay[1]!.finish();
  await loopTurn();
  underWay[2]!.finish();
  expect(await Promise.all(taken)).toEqual([2, 4, 6]);
});
