/** Promise: the items of a conversation are counted as memory of its organization, exactly, and never beyond its limits. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { openBudget } from "../../../src/memory/budget.ts";
import { Items, type MessageItem } from "../../../src/realtime/dialogue/items.ts";

const message = (id: string, letters: number): MessageItem => ({
  ...{ id, object: "realtime.item", type: "message", status: "completed", role: "user" },
  content: [{ type: "input_text", text: "a".repeat(letters) }],
});
const bytesOf = (items: Items) => items.all.reduce((sum, item) => sum + 2 * JSON.stringify(item).length, 0);

describe("items", () => {
  test("of a client are refused where its organization has no memory, until one is deleted", () => {
    const budget = openBudget(8000);
    const items = new Items(budget.open("org"));
    items.create(message("a", 1000), {});
    expect(() => items.create(message("b", 1000), {})).toThrow(
      "There is no memory for the item at this time.",
    );
    expect(items.all.map(({ id }) => id)).toEqual(["a"]);
    expect(budget.heldBytes()).toBe(bytesOf(items));
    items.delete("a");
    expect(budget.heldBytes()).toBe(0);
    items.create(message("b", 1000), {});
    expect(budget.heldBytes()).toBe(bytesOf(items));
  });

  test("of the conversation itself take the place of its oldest", () => {
    const budget = openBudget(16_000);
    const items = new Items(budget.open("org"));
    for (const id of ["a", "b", "c", "d"]) items.create(message(id, 700), {});
    items.add(message("e", 1500));
    expect(items.all.map(({ id }) => id)).toEqual(["c", "d", "e"]);
    expect(budget.heldBytes()).toBe(bytesOf(items));
    budget.open("org").take(8000 - bytesOf(items)); // nothing is left
    const last = items.find("e") as MessageItem;
    last.content = [{ type: "input_text", text: "a".repeat(2000) }];
    items.measure(last);
    expect(items.all.map(({ id }) => id)).toEqual(["d", "e"]);
  });

  test("are two thousand at most, and four million characters", () => {
    const items = new Items(openBudget(1e9).open("org"));
    for (let index = 0; index < 2500; index++) items.add(message(`${index}`, 10));
    expect(items.all.map(({ id }) => id)).toEqual(Array.from({ length: 2000 }, (_, at) => `${at + 500}`));
    items.add(message("long", 4 * 1024 * 1024 - 1000));
    expect(items.all.at(-1)!.id).toBe("long");
    expect(bytesOf(items)).toBeLessThanOrEqual(8 * 1024 * 1024);
    expect(items.all.length).toBeWithin(2, 20);
  });

  test("hold what they take, whatever is added, changed and deleted, and nothing once the session is over", () => {
    const step = fc.tuple(fc.constantFrom("create", "add", "delete", "change"), fc.nat(9), fc.nat(900));
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 60 }),
        fc.integer({ min: 2000, max: 20_000 }),
        (steps, limit) => {
          const budget = openBudget(limit);
          const holding = budget.open("org");
          const items = new Items(holding);
          for (const [what, number, letters] of steps) {
            const id = `${number}`;
            const known = items.find(id) as MessageItem | null;
            try {
              if (what === "delete" && known) items.delete(id);
              if (what === "add" && !known) items.add(message(id, letters));
              if (what === "create" && !known) items.create(message(id, letters), {});
            } catch {
              expect(what).toBe("create");
            }
            if (what === "change" && known) {
              known.content = message(id, letters).content;
              items.measure(known);
            }
            expect(budget.heldBytes()).toBeLessThanOrEqual(limit / 2);
            if (items.all.length > 1) expect(budget.heldBytes()).toBe(bytesOf(items));
          }
          holding.release();
          expect(budget.heldBytes()).toBe(0);
        },
      ),
    );
  });
});
