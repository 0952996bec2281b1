/** What every ledger store must do of charges that were too high: the part that was not delivered is returned, once. */
import { describe, expect, test } from "bun:test";
import type { Charge, NewGrant } from "../../../src/ledger/booking/burn-down.ts";
import type { NewRefund } from "../../../src/ledger/booking/refund.ts";
import type { Ledger } from "../../../src/ledger/ledger.ts";
import { heldClock } from "../../harness.ts";
import { chargeOf, grantOf, requestFor } from "./charges.ts";
import { type Fresh, freshLedger, leftOf } from "./fresh-ledger.ts";
import type { Fixture } from "./ledger.ts";

const DAY = 86_400;

export function ledgerRefundsContract(name: string, prepare: () => Promise<Fixture>) {
  describe(`${name}, refunds`, () => {
    let ledger: Ledger;
    let losses: Fresh["losses"];
    let clock = heldClock();
    const now = () => Math.floor(clock.now() / 1000);
    freshLedger(prepare, (fresh) => {
      ({ ledger, clock, losses } = fresh);
    });

    const give = (id: string, amountMicros: number, parts: Partial<NewGrant> = {}) =>
      ledger.grant(grantOf({ id, amountMicros, createdAt: now(), ...parts }));
    async function spend(costMicros: number, parts: Partial<Charge> = {}): Promise<Charge> {
      const charge = chargeOf({ costMicros, createdAt: now(), ...parts });
      await ledger.charge(charge, requestFor(charge));
      return charge;
    }
    const refundOf = ({ id, organizationId, requestId }: Charge, micros: number): NewRefund => ({
      chargeId: id,
      organizationId,
      requestId,
      quantity: micros,
      costMicros: micros,
    });
    const left = () => leftOf(ledger);

    test("a refund leaves what a smaller charge would have left", async () => {
      await give("soon", 10, { expiresAt: now() + DAY });
      await give("never", 10);
      const charge = await spend(17);
      const event = await ledger.refund(refundOf(charge, 9));
      expect(event).toMatchObject({ quantity: -9, costMicros: -9, overdraftMicros: 0 });
      expect(event.burns).toEqual([
        ["never", -7],
        ["soon", -2],
      ]);
      expect(await left()).toEqual({ soon: 2, never: 10 });
      expect(await ledger.credit("org")).toMatchObject({ balanceMicros: 12, monthMicros: 8 });
      expect(await ledger.totals("org")).toMatchObject({ requests: 1, costMicros: 8, characters: 8 });
      const { costMicros, payment } = (await ledger.request("org", charge.requestId))!;
      expect({ costMicros, ...payment }).toMatchObject({ costMicros: 8, quantity: 8, burns: [["soon", 8]] });
    });

    test("a refund that is sent again, at once or after a lost answer, is booked once", async () => {
      await give("never", 10);
      const charge = await spend(8);
      losses.answers = 1;
      const refund = refundOf(charge, 3);
      const events = await Promise.all([ledger.refund(refund), ledger.refund(refund)]);
      events.push(await ledger.refund({ ...refund, costMicros: 5 }));
      expect(events.map(({ costMicros }) => costMicros)).toEqual([-3, -3, -3]);
      expect(await left()).toEqual({ never: 5 });
      expect((await ledger.request("org", charge.requestId))!.costMicros).toBe(5);
    });

    test("a request that ends after its refund keeps the refunded cost", async () => {
      const charge = await spend(8);
      await ledger.refund(refundOf(charge, 8));
      await ledger.log(requestFor(charge, { status: 502, costMicros: 8 }));
      expect(await ledger.request("org", charge.requestId)).toMatchObject({ status: 502, costMicros: 0 });
      expect(await ledger.totals("org")).toMatchObject({ requests: 0, costMicros: 0 }); // an error
    });

    test("overdraft comes back before credit, and what paid it off is credit again", async () => {
      await give("first", 10);
      const charge = await spend(16);
      await give("second", 20); // settles 6
      await ledger.refund(refundOf(charge, 9));
      expect(await left()).toEqual({ first: 3, second: 20 });
      expect(await ledger.credit("org")).toMatchObject({ balanceMicros: 23, overdraftMicros: 0 });
    });

    test("returned credit pays the overdraft of other charges", async () => {
      await give("only", 10);
      const charge = await spend(10);
      await spend(4);
      await ledger.refund(refundOf(charge, 3));
      expect(await ledger.credit("org")).toMatchObject({ balanceMicros: 0, overdraftMicros: 1 });
    });

    test("a refund counts in the day and the month of its charge", async () => {
      const old = await spend(7);
      clock.pass(40 * DAY * 1000);
      await spend(5);
      await ledger.refund(refundOf(old, 4));
      expect((await ledger.credit("org")).monthMicros).toBe(5);
      clock.pass(-40 * DAY * 1000);
      expect((await ledger.credit("org")).monthMicros).toBe(3);
      const days = await ledger.usage({
        ...{ organizationId: "org", start: now() - DAY, end: now() + 50 * DAY },
        ...{ bucket: "day", groupBy: [], filters: {} },
      });
      expect(days.map(({ costMicros }) => costMicros)).toEqual([3, 5]);
    });

    test("an unmetered charge is corrected, and nothing is given for it", async () => {
      await give("never", 10);
      const charge = await spend(8, { plan: "unmetered" });
      expect((await ledger.refund(refundOf(charge, 3))).burns).toEqual([]);
      expect(await ledger.credit("org")).toMatchObject({
        balanceMicros: 10,
        monthMicros: 0,
        monthUsageMicros: 5,
      });
    });

    test("no more is refunded than was charged, and nothing of a charge that was never booked", async () => {
      await give("never", 10);
      const charge = await spend(4);
      const unknown = chargeOf({ costMicros: 4, createdAt: now() });
      const part = { ...refundOf(charge, 3), quantity: -1 };
      const refunds = [refundOf(charge, 5), refundOf(charge, -1), refundOf(unknown, 1), part];
      const answers = await Promise.allSettled(refunds.map((refund) => ledger.refund(refund)));
      expect(answers.map(({ status }) => status)).toEqual(Array(4).fill("rejected"));
      expect(await left()).toEqual({ never: 6 });
    });

    test("a charge is voided or refunded, never both", async () => {
      await give("never", 20);
      const [refunded, voided] = [await spend(8), await spend(8)];
      await ledger.refund(refundOf(refunded, 2));
      await expect(ledger.cancel(refunded)).rejects.toThrow("was refunded");
      await ledger.cancel(voided);
      await expect(ledger.refund(refundOf(voided, 2))).rejects.toThrow("less than");
      expect(await left()).toEqual({ never: 14 });
    });
  });
}
