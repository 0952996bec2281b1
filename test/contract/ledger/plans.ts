/** What every ledger store must do for organizations that change their plan: only prepaid charges are deducted. */
import { describe, expect, test } from "bun:test";
import type { Charge } from "../../../src/ledger/booking/burn-down.ts";
import type { Ledger } from "../../../src/ledger/ledger.ts";
import { differencesOf } from "../../../src/ledger/verify.ts";
import { heldClock } from "../../harness.ts";
import { chargeOf, grantOf, requestFor } from "./charges.ts";
import { freshLedger } from "./fresh-ledger.ts";
import type { Fixture } from "./ledger.ts";

const DAY = 86_400;

export function ledgerPlansContract(name: string, prepare: () => Promise<Fixture>) {
  describe(`${name}, plans`, () => {
    let ledger: Ledger;
    let clock = heldClock();
    const now = () => Math.floor(clock.now() / 1000);
    freshLedger(prepare, (fresh) => {
      ({ ledger, clock } = fresh);
    });

    const give = (amountMicros: number) => ledger.grant(grantOf({ amountMicros, createdAt: now() }));
    const charge = (costMicros: number, plan: Charge["plan"] = "unmetered") =>
      chargeOf({ costMicros, plan, createdAt: now() });
    const book = (one: Charge) => ledger.charge(one, requestFor(one));
    const sumsOfDay = async () => (await ledger.totals("org")).costMicros;

    test("an unmetered charge is recorded at list price, and takes no credit", async () => {
      await give(10);
      const one = charge(25);
      expect(await book(one)).toMatchObject({
        plan: "unmetered",
        costMicros: 25,
        burns: [],
        overdraftMicros: 0,
      });
      expect(await ledger.credit("org")).toMatchObject({
        balanceMicros: 10,
        overdraftMicros: 0,
        monthMicros: 0,
        monthUsageMicros: 25,
      });
      expect(await sumsOfDay()).toBe(25);
      expect(await ledger.request("org", one.requestId)).toMatchObject({
        costMicros: 25,
        payment: { plan: "unmetered", quantity: 25, priceMicros: 1_000_000, burns: [], overdraftMicros: 0 },
      });
    });

    test("a charge of the plan before is settled under that plan", async () => {
      await give(10);
      const [early, late] = [charge(4, "prepaid"), charge(5, "unmetered")];
      await book(charge(3, "unmetered"));
      await book(early); // the organization has become unmetered meanwhile
      await book(charge(2, "prepaid"));
      await book(late); // and prepaid again
      expect(await ledger.credit("org")).toMatchObject({
        balanceMicros: 4,
        monthMicros: 6,
        monthUsageMicros: 14,
      });
    });

    test("voiding an unmetered charge gives no credit back and settles no overdraft", async () => {
      await book(charge(7, "prepaid"));
      const [first, second] = [charge(5), charge(6)];
      await book(first);
      await book(second);
      await ledger.cancel(first);
      expect(await ledger.credit("org")).toMatchObject({
        balanceMicros: 0,
        overdraftMicros: 7,
        monthMicros: 7,
        monthUsageMicros: 13,
      });
      await ledger.cancel(first);
      expect(await sumsOfDay()).toBe(13);
    });

    test("the two sums of a month are right again after a charge of another month", async () => {
      await book(charge(5));
      await book(charge(2, "prepaid"));
      clock.pass(40 * DAY * 1000);
      expect(await ledger.credit("org")).toMatchObject({ monthMicros: 0, monthUsageMicros: 0 });
      const old = charge(9);
      await book(old);
      await book(charge(1, "prepaid"));
      clock.pass(-40 * DAY * 1000);
      expect(await ledger.credit("org")).toMatchObject({ monthMicros: 2, monthUsageMicros: 7 });
      await book(charge(1));
      expect(await ledger.credit("org")).toMatchObject({ monthMicros: 2, monthUsageMicros: 8 });
      expect((await ledger.credits())("org")).toEqual(await ledger.credit("org"));
      await ledger.cancel(old);
      clock.pass(40 * DAY * 1000);
      expect(await ledger.credit("org")).toMatchObject({ monthMicros: 1, monthUsageMicros: 1 });
    });

    test("an inconsistent sum of what was not deducted is detected", async () => {
      await book(charge(5));
      const audit = await ledger.audit();
      audit.accounts[0]!.totalUnmeteredMicros -= 1;
      audit.accounts[0]!.monthUnmeteredMicros -= 1;
      expect(differencesOf(audit).map(({ what }) => what)).toEqual([
        "usage not deducted",
        "month 202601, not deducted",
      ]);
    });
  });
}
