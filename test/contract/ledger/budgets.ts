/** What every ledger store must do of budgets: count at list price what charges, refunds and voids come to, on both plans. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { BudgetPeriod, Charge } from "../../../src/ledger/booking/burn-down.ts";
import type { Ledger } from "../../../src/ledger/ledger.ts";
import { differencesOf, sentenceOf } from "../../../src/ledger/verify.ts";
import { chargeOf, requestFor } from "./charges.ts";
import { type Fresh, freshLedger } from "./fresh-ledger.ts";
import type { Fixture } from "./ledger.ts";

const KEY: BudgetPeriod = ["key_1", 1_767_225_600];
const PROJECT: BudgetPeriod = ["proj_1", 1_767_225_600];

export function ledgerBudgetsContract(name: string, prepare: () => Promise<Fixture>) {
  describe(`${name}, budgets`, () => {
    let ledger: Ledger;
    let losses: Fresh["losses"];
    freshLedger(prepare, (fresh) => {
      ({ ledger, losses } = fresh);
    });

    async function spend(costMicros: number, parts: Partial<Charge> = {}): Promise<Charge> {
      const charge = chargeOf({ costMicros, budgets: [KEY, PROJECT], ...parts });
      await ledger.charge(charge, requestFor(charge));
      return charge;
    }
    const counted = async (...periods: BudgetPeriod[]) => (await ledger.credit("org", periods)).budgetMicros;
    const refund = ({ id: chargeId, organizationId, requestId }: Charge, micros: number) =>
      ledger.refund({ chargeId, organizationId, requestId, quantity: micros, costMicros: micros });

    test("a charge counts toward the periods that it names, whatever its plan is", async () => {
      await spend(7);
      await spend(5, { plan: "unmetered", budgets: [PROJECT] });
      await spend(3, { budgets: null });
      expect(await counted(KEY, PROJECT)).toEqual([7, 12]);
      expect(await counted(PROJECT, ["key_1", KEY[1] + 1], ["key_2", KEY[1]])).toEqual([12, 0, 0]);
    });

    test("an organization that was never charged has used nothing of its budgets", async () => {
      expect((await ledger.credit("new", [KEY])).budgetMicros).toEqual([0]);
    });

    test("an organization's budgets are its own", async () => {
      await spend(7);
      await spend(2, { organizationId: "other" });
      expect((await ledger.credit("other", [KEY])).budgetMicros).toEqual([2]);
      expect(await counted(KEY)).toEqual([7]);
    });

    test("the counts of many periods are read at once, in the order of the question", async () => {
      await spend(7);
      await spend(2, { organizationId: "other" });
      const asked = [
        ["org", ...PROJECT],
        ["org", KEY[0], KEY[1] + 1],
        ["other", ...KEY],
        ["org", ...KEY],
        ["new", ...KEY],
      ] as [string, string, number][];
      expect(await ledger.budgets(asked)).toEqual([7, 0, 2, 7, 0]);
      const many = Array.from({ length: 2500 }, (_, index): [string, string, number] => [
        "org",
        "key_1",
        index,
      ]);
      expect((await ledger.budgets([...many, ["org", ...KEY]])).at(-1)).toBe(7);
      expect(await ledger.budgets([])).toEqual([]);
    });

    test("a charge that is sent again is counted once", async () => {
      const charge = await spend(7);
      await ledger.charge(charge, requestFor(charge));
      losses.answers = 1;
      const lost = chargeOf({ costMicros: 4, budgets: [KEY] });
      await ledger.charge(lost, requestFor(lost)).catch(() => {});
      await ledger.charge(lost, requestFor(lost));
      expect(await counted(KEY)).toEqual([11]);
    });

    test("refunds and voids give room back in the period of their charge", async () => {
      const later: BudgetPeriod = ["key_1", KEY[1] + 86_400];
      const first = await spend(7);
      const second = await spend(5);
      await spend(2, { budgets: [later] });
      await refund(first, 3);
      await ledger.cancel(second);
      expect(await counted(KEY, PROJECT, later)).toEqual([4, 4, 2]);
    });

    test("a count that its events do not come to is named", async () => {
      await spend(7);
      const audit = await ledger.audit();
      audit.budgets.find(({ subject }) => subject === "key_1")!.countedMicros = 6;
      expect(differencesOf(audit).map(sentenceOf)).toEqual([
        "key_1, budget from 2026-01-01T00:00:00.000Z: 6 micros are stored, and its events come to 7.",
      ]);
    });

    const subject = fc.constantFrom("key_1", "key_2", "proj_1");
    const step = fc.oneof(
      fc.record({
        charge: fc.record({
          micros: fc.nat(50),
          budgets: fc.uniqueArray(fc.tuple(subject, fc.constantFrom(0, 100)), {
            selector: String,
            maxLength: 3,
          }),
          isUnmetered: fc.boolean(),
        }),
      }),
      fc.record({ refund: fc.record({ of: fc.nat(20), part: fc.nat(100) }) }),
      fc.record({ void: fc.nat(20) }),
    );

    test("counts are what the remaining charges of several keys come to, however they are charged and given back", async () => {
      let run = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
          const organizationId = `org_${++run}`;
          const made: { charge: Charge; left: number; isOpen: boolean }[] = [];
          const writes: Promise<unknown>[] = [];
          for (const each of steps) {
            if ("charge" in each) {
              const { micros, budgets, isUnmetered } = each.charge;
              const plan = isUnmetered ? "unmetered" : "prepaid";
              const charge = chargeOf({ organizationId, costMicros: micros, budgets, plan });
              made.push({ charge, left: micros, isOpen: true });
              writes.push(ledger.charge(charge, requestFor(charge)));
              continue;
            }
            const one = made[("refund" in each ? each.refund.of : each.void) % Math.max(1, made.length)];
            if (!one?.isOpen) continue;
            one.isOpen = false;
            const part = "refund" in each ? Math.floor((one.left * each.refund.part) / 100) : one.left;
            one.left -= part;
            writes.push("refund" in each ? refund(one.charge, part) : ledger.cancel(one.charge));
          }
          await Promise.all(writes);
          const periods: BudgetPeriod[] = ["key_1", "key_2", "proj_1"].flatMap((of) => [
            [of, 0],
            [of, 100],
          ]);
          const expected = periods.map((period) =>
            made
              .filter(({ charge }) => charge.budgets!.some((budget) => `${budget}` === `${period}`))
              .reduce((sum, { left }) => sum + left, 0),
          );
          expect((await ledger.credit(organizationId, periods)).budgetMicros).toEqual(expected);
        }),
        { numRuns: 30 },
      );
    });
  });
}
