/** Promise: requests hold no more memory than the budget, and an organization no more than half of it. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { toRefusal } from "../../src/errors.ts";
import { openBudget } from "../../src/memory/budget.ts";

const refusalOf = (act: () => void) => {
  try {
    act();
    return null;
  } catch (cause) {
    const { code, retryAfterSeconds } = toRefusal(cause);
    return { code, retryAfterSeconds };
  }
};

describe("the memory budget", () => {
  test("refuses an organization beyond half of it with 429", () => {
    const budget = openBudget(100);
    budget.open("a").take(30);
    const second = budget.open("a");
    second.take(20);
    expect(refusalOf(() => second.take(1))).toEqual({
      code: "concurrency_limit_exceeded",
      retryAfterSeconds: 2,
    });
    expect(refusalOf(() => budget.open("b").take(50))).toBe(null);
  });

  test("refuses on a full server with 503", () => {
    const budget = openBudget(100);
    budget.open("a").take(50);
    budget.open("b").take(45);
    expect(refusalOf(() => budget.open("c").take(6))).toEqual({
      code: "service_unavailable",
      retryAfterSeconds: 2,
    });
    expect(refusalOf(() => budget.open("c").take(5))).toBe(null);
  });

  test("has room for the longest recordings while they are decoded, and for more once they are shorter", async () => {
    const { signal } = new AbortController();
    const budget = openBudget(4 * 80_000_000); // two of an organization at once, four in all
    const holding = budget.open("a");
    const first = await holding.decode(2, signal);
    let isIn = false;
    const other = budget.open("a");
    const next = other.decode(1, signal).then(() => {
      isIn = true;
    });
    await budget.open("b").decode(2, signal);
    await new Promise(setImmediate);
    expect(isIn).toBe(false);
    first(1000);
    await next;
    const last = budget.open("a").decode(2, signal);
    other.release();
    holding.release();
    await last;
  });

  test("is fully released after any sequence of claims and releases", () => {
    const step = fc.tuple(fc.constantFrom("a", "b"), fc.boolean(), fc.nat(40));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 50 }), (steps) => {
        const budget = openBudget(100);
        const holdings = { a: budget.open("a"), b: budget.open("b") };
        for (const [name, isTake, sizeBytes] of steps) {
          if (isTake) refusalOf(() => holdings[name].take(sizeBytes));
          else holdings[name].giveBack(sizeBytes);
          expect(budget.heldBytes()).toBeWithin(0, 101);
        }
        for (const holding of Object.values(holdings)) holding.release();
        expect(budget.heldBytes()).toBe(0);
      }),
      { seed: 1 },
    );
  });
});
