/** What spend alerts must do on every database: go off once for a period and amount, by the charge that reaches it. */
import { describe, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import fc from "fast-check";
import { openAccounts } from "../../../src/accounts/accounts.ts";
import { openBudgetRows } from "../../../src/db/queries/budget-rows.ts";
import type { BudgetPeriod, Charge } from "../../../src/ledger/booking/burn-down.ts";
import { openLedger } from "../../../src/ledger/ledger.ts";
import { differencesOf } from "../../../src/ledger/verify.ts";
import { type AlertFixture, amount, DECEMBER, DOLLAR, NOVEMBER, openSetting } from "./alert-setting.ts";

export function alertContract(name: string, prepare: () => Promise<AlertFixture>) {
  describe(`alerts, ${name}`, () => {
    const { on, newKey, now, chargeFor, book, spend, refund, watched, firings, work, isClean } =
      openSetting(prepare);

    test.each(["organization", "project", "key"] as const)(
      "an alert of %s goes off with the charge that reaches its amount, and not again in its month",
      async (of) => {
        const { id } = await on.alerts.create(watched(of), amount(5));
        await spend(4.99);
        expect([await firings(), await work()]).toEqual([[], []]);
        await spend(0.01);
        expect(await firings()).toEqual([[NOVEMBER, 5, 5]]);
        expect(await work()).toMatchObject([
          { kind: "spend_alert", payload: expect.stringContaining(id), attempts: 0 },
        ]);
        await spend(10);
        expect((await firings()).length).toBe(1);
        expect((await work()).length).toBe(1);
        await isClean();
      },
    );

    test.each(["organization", "project", "key"] as const)(
      "an alert of %s counts what was spent in the month before it was made",
      async (of) => {
        await spend(3);
        await spend(1, { createdAt: NOVEMBER - 1 });
        await on.alerts.create(watched(of), amount(5));
        await spend(1);
        expect(await firings()).toEqual([]);
        await spend(1);
        expect(await firings()).toEqual([[NOVEMBER, 5, 5]]);
      },
    );

    test("a new month begins unspent, and a late charge of the month before counts there", async () => {
      for (const of of ["organization", "project", "key"] as const)
        await on.alerts.create(watched(of), amount(5));
      on.clock.pass((DECEMBER - 1 - now()) * 1000);
      const last = now();
      await spend(4);
      on.clock.pass(1000);
      await spend(4);
      expect(await firings()).toEqual([]);
      await spend(1, { createdAt: last });
      expect(await firings()).toEqual(Array(3).fill([NOVEMBER, 5, 5]));
      await spend(1);
      expect(await firings()).toEqual([
        ...Array(3).fill([NOVEMBER, 5, 5]),
        ...Array(3).fill([DECEMBER, 5, 5]),
      ]);
    });

    test("refunds and voids give room back, and what went off does not go off again", async () => {
      for (const of of ["organization", "project", "key"] as const)
        await on.alerts.create(watched(of), amount(5));
      const [first, second] = [await spend(3), await spend(1)];
      await refund(first, 2);
      await on.ledger.cancel(second);
      await spend(3.9);
      expect(await firings()).toEqual([]);
      const third = await spend(0.1);
      expect(await firings()).toEqual(Array(3).fill([NOVEMBER, 5, 5]));
      await refund(third, 0.1);
      await spend(1);
      expect((await firings()).length).toBe(3);
      await isClean();
    });

    test("what is spent is counted for who spent it", async () => {
      const other = (await newKey("Other")).id;
      await on.alerts.create(watched("key"), amount(5));
      await on.alerts.create({ ...watched("key"), keyId: other }, amount(3));
      await spend(4);
      await spend(2, { keyId: other });
      expect(await firings()).toEqual([]);
      await spend(1, { keyId: other });
      expect(await firings()).toEqual([[NOVEMBER, 3, 3]]);
    });

    test("ledger verify compares the counts of what is watched with events, also from the middle of a month", async () => {
      await spend(2);
      for (const of of ["project", "key"] as const) await on.alerts.create(watched(of), amount(50));
      await refund(await spend(3), 1);
      on.clock.pass(40 * 86_400_000);
      await spend(1);
      const counts = on.node.database.tables.spendCount;
      const { query } = on.node.database;
      expect((await query.select().from(counts)).map(({ micros }) => micros / DOLLAR).sort()).toEqual([
        1, 1, 4, 4,
      ]);
      await isClean();
      await query.update(counts).set({ micros: 7 }).where(eq(counts.subject, on.key));
      expect(differencesOf(await on.ledger.audit())).toEqual([
        { of: on.key, what: expect.stringMatching(/^spend from 20/), stored: 7, computed: 4 * DOLLAR },
        { of: on.key, what: expect.stringMatching(/^spend from 20/), stored: 7, computed: 1 * DOLLAR },
      ]);
    });

    test("a charge that is sent again, and one of no cost, set nothing off", async () => {
      await on.alerts.create(watched("key"), amount(5));
      const charge = await spend(3);
      await book(charge);
      await spend(0);
      expect(await firings()).toEqual([]);
    });

    test("another amount goes off in the same month, and a deleted alert never", async () => {
      const alert = await on.alerts.create(watched("project"), amount(5));
      await spend(6);
      const changed = await on.alerts.change(alert, { threshold: { amountMicros: 8 * DOLLAR } });
      expect(changed).toMatchObject({ thresholdMicros: 8 * DOLLAR, firedAt: now() });
      await spend(2);
      expect(await firings()).toEqual([
        [NOVEMBER, 5, 6],
        [NOVEMBER, 8, 8],
      ]);
      await on.alerts.remove(changed);
      await spend(20);
      expect(await firings()).toEqual([]);
    });

    test("what nothing watched for a while is counted anew", async () => {
      const alert = await on.alerts.create(watched("key"), amount(5));
      await spend(1);
      await on.alerts.remove(alert);
      await spend(3);
      const again = await on.alerts.create(watched("key"), amount(5));
      const share = await on.alerts.change(again, { threshold: { percent: 50 } });
      await spend(0.5);
      await on.alerts.change(share, { threshold: { amountMicros: 5 * DOLLAR } });
      await spend(0.5);
      expect(await firings()).toEqual([[NOVEMBER, 5, 5]]);
    });

    describe("at a percentage", () => {
      const half = amount(0, { threshold: { percent: 50 } });

      test("an alert of a key is of the budget, in its period, and follows it", async () => {
        const accounts = openAccounts(on.node.database, on.clock);
        const budget = (dollars: number) => ({
          budget: { limit_micros: dollars * DOLLAR, interval: "day" as const },
        });
        const alert = await on.alerts.create(watched("key"), half);
        expect(alert.thresholdMicros).toBeNull();
        const today: BudgetPeriod = [on.key, now() - 60];
        await spend(30, { budgets: [today] });
        await accounts.updateKey(on.key, { restrictions: budget(10) });
        const found = await on.alerts.find({ organizationId: on.org, of: "all" }, alert.id);
        expect(found?.thresholdMicros).toBe(5 * DOLLAR);
        const next: BudgetPeriod = [on.key, now()];
        await spend(4, { budgets: [next] });
        await accounts.updateKey(on.key, { restrictions: budget(12) });
        await spend(1, { budgets: [next] });
        expect(await firings()).toEqual([]);
        await spend(1, { budgets: [next] });
        expect(await firings()).toEqual([[next[1], 6, 6]]);
        await accounts.updateKey(on.key, { restrictions: null });
        await spend(9);
        expect((await firings()).length).toBe(1);
      });

      test("an alert of an organization is of what was deducted, and of the spending limit", async () => {
        await on.alerts.create(watched("organization"), half);
        await on.ledger.setMonthlyLimit(on.org, 10 * DOLLAR);
        await spend(9);
        await spend(4, { plan: "prepaid" });
        expect(await firings()).toEqual([]);
        await spend(1, { plan: "prepaid" });
        expect(await firings()).toEqual([[NOVEMBER, 5, 5]]);
        await on.ledger.setMonthlyLimit(on.org, null);
        await spend(50, { plan: "prepaid" });
        expect((await firings()).length).toBe(1);
      });
    });

    test("a key that replaces another takes its alerts over, and has spent nothing", async () => {
      await on.alerts.create(watched("key"), amount(5));
      await spend(4);
      const { id } = (await openAccounts(on.node.database, on.clock).rotateKey(on.key, 3600))!;
      await spend(4);
      await spend(4, { keyId: id });
      expect(await firings()).toEqual([]);
      await spend(1, { keyId: id });
      expect(await firings()).toEqual([[NOVEMBER, 5, 5]]);
    });

    test("four nodes that charge at once set an alert off once, at the charge that reaches it", async () => {
      for (const of of ["organization", "project", "key"] as const)
        await on.alerts.create(watched(of), amount(5));
      const nodes = await Promise.all([1, 2, 3, 4].map(() => on.fixture.open()));
      const ledgers = nodes.map(({ store }) => openLedger(store, on.clock));
      await Promise.all(
        ledgers.flatMap((each) => Array.from({ length: 50 }, () => book(chargeFor(0.1), each))),
      );
      expect(await firings()).toEqual(Array(3).fill([NOVEMBER, 5, expect.any(Number)]));
      const spent = (await firings()).map(([, , micros]) => micros!);
      for (const micros of spent) expect(micros).toBeLessThan(20);
      expect((await work()).length).toBe(3);
      await isClean();
      for (const each of ledgers) await each[Symbol.asyncDispose]();
      for (const each of nodes) await each[Symbol.asyncDispose]();
    });

    test("random charges, refunds and voids set an alert off when what is left first reaches its amount", async () => {
      const step = fc.oneof(
        { weight: 4, arbitrary: fc.record({ charge: fc.nat(4), mine: fc.boolean() }) },
        { weight: 1, arbitrary: fc.record({ back: fc.nat(20), isVoid: fc.boolean() }) },
      );
      let run = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 20 }), fc.nat(3), async (steps, madeAt) => {
          const keyId = (await newKey(`Run ${++run}`)).id;
          const made: { charge: Charge; isOpen: boolean }[] = [];
          let [spent, expected] = [0, false];
          let id = "none";
          for (const [index, each] of steps.entries()) {
            if (index === madeAt) id = (await on.alerts.create({ ...watched("key"), keyId }, amount(6))).id;
            if ("charge" in each) {
              const charge = await spend(each.charge, each.mine ? { keyId } : {});
              if (each.mine) {
                made.push({ charge, isOpen: true });
                spent += each.charge;
                expected ||= index >= madeAt && each.charge > 0 && spent >= 6;
              }
              continue;
            }
            const one = made[each.back % Math.max(1, made.length)];
            if (!one?.isOpen) continue;
            one.isOpen = false;
            const dollars = each.isVoid ? one.charge.costMicros / DOLLAR : 1;
            if (dollars * DOLLAR > one.charge.costMicros) continue;
            spent -= dollars;
            await (each.isVoid ? on.ledger.cancel(one.charge) : refund(one.charge, dollars));
          }
          const found = await on.alerts.find({ organizationId: on.org, of: "all" }, id);
          expect((found?.firedAt ?? null) !== null).toBe(expected);
        }),
        { numRuns: 25 },
      );
    });

    test("counts and firings of long ago are deleted", async () => {
      await on.alerts.create(watched("key"), amount(5));
      await spend(5);
      const { forget } = openBudgetRows(on.node.database);
      await forget(now() + 1);
      expect((await firings()).length).toBe(1); // the last one: its period may be under way
      on.clock.pass((DECEMBER - now()) * 1000);
      await spend(5);
      await forget(NOVEMBER);
      expect((await firings()).length).toBe(2);
      await forget(DECEMBER + 1);
      expect(await firings()).toEqual([[DECEMBER, 5, 5]]);
      expect(await on.node.database.query.select().from(on.node.database.tables.spendCount)).toEqual([]);
    });

    test("an organization has 20 alerts of each of what it watches, also of those that are made at once", async () => {
      const made = await Promise.allSettled(
        Array.from({ length: 25 }, () => on.alerts.create(watched("key"), amount(5))),
      );
      expect(made.filter(({ status }) => status === "fulfilled").length).toBe(20);
      const refused = made.flatMap((each) => (each.status === "rejected" ? [each.reason.code] : []));
      expect(refused).toEqual(Array(5).fill("too_many_spend_alerts"));
      expect((await on.alerts.create(watched("project"), amount(5))).scope).toBe("project");
    });
  });
}
