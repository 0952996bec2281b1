/** Promise: a live session pays each model for its own seconds, in any order, and no second twice. */
import { expect, test } from "bun:test";
import { StreamBilling } from "../../src/usage/live-billing.ts";
import type { Consumed } from "../../src/usage/posting.ts";
import type { Work } from "../../src/usage/work.ts";
import { loopTurn } from "../until.ts";

/** A work that keeps what it was told. */
function kept() {
  const posted: Consumed[] = [];
  const taken: number[] = [];
  const work: Work = {
    trace: null,
    replays: { of: null, requestId: "req", unlessReplay: async (check) => check(), settle: async () => {} },
    async admit() {},
    async identify() {},
    async take(cost) {
      taken.push(cost);
    },
    note() {},
    async post(consumed) {
      posted.push(consumed);
    },
    isCharging: () => false,
    async owe(consumed) {
      posted.push(consumed);
    },
    refund() {},
    async checkCredit() {},
    noteProgress() {},
    started() {},
    end() {},
  };
  return { work, posted, taken };
}

const [one, other] = [
  { model: "one", priceMicros: 100 },
  { model: "other", priceMicros: 300 },
];

test("a model that is selected again continues from its last charge", async () => {
  const { work, posted } = kept();
  const streamBilling = new StreamBilling(work, one);
  await streamBilling.change(other, 10);
  await streamBilling.change(one, 14);
  await streamBilling.finish(21);
  expect(posted).toEqual([
    { ...one, quantity: 10 },
    { ...other, quantity: 4 },
    { ...one, quantity: 17 },
  ]);
});

test("seconds are consumed one by one, and charged in fives and at the end", async () => {
  const { work, posted, taken } = kept();
  const streamBilling = new StreamBilling(work, one);
  for (let seconds = 0.5; seconds <= 7; seconds += 0.5) {
    await streamBilling.take(seconds);
    streamBilling.charge(seconds, () => {});
    await loopTurn();
  }
  await streamBilling.finish(7);
  expect(taken).toEqual([1, 1, 1, 1, 1, 1, 1]);
  expect(posted.map(({ quantity }) => quantity)).toEqual([5, 7]);
});
