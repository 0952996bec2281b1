/** Promise: what is used of the budgets of many records takes one read, and none where there is no budget. */
import { expect, test } from "bun:test";
import { withBudgetUse } from "../src/budget-use.ts";

const budgeted = (id: string, limit_micros: number, began_at: number) => ({
  ...{ id, organization_id: "org", restrictions: { budget: { limit_micros, interval: "day" as const } } },
  budget_period: { began_at, begins_again_at: began_at + 86_400 },
});
const free = { id: "key_free", organization_id: "org", restrictions: null, budget_period: null };

test("one read counts all periods, and each record has its own", async () => {
  const asked: unknown[] = [];
  const ledger = {
    async budgets(periods: [string, string, number][]) {
      asked.push(periods);
      return [79, 80, 100];
    },
  };
  const records = [budgeted("key_a", 100, 1), free, budgeted("key_b", 100, 2), budgeted("proj_c", 100, 3)];
  const shown = await withBudgetUse(ledger, records);
  expect(asked).toEqual([
    [
      ["org", "key_a", 1],
      ["org", "key_b", 2],
      ["org", "proj_c", 3],
    ],
  ]);
  expect(shown.map(({ id, budget_period: use }) => [id, use?.used_micros, use?.state])).toEqual([
    ["key_a", 79, "within"],
    ["key_free", undefined, undefined],
    ["key_b", 80, "near"],
    ["proj_c", 100, "reached"],
  ]);
});

test("without a budget nothing is read", async () => {
  const ledger = { budgets: async () => Promise.reject(new Error("read")) };
  expect(await withBudgetUse(ledger, [free])).toEqual([free]);
});
