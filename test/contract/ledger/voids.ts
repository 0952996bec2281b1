/** What every ledger store must do of charges that failed, or whose answer was lost: none of them is ever paid. */
import { describe, expect, test } from "bun:test";
import type { Charge, NewGrant } from "../../../src/ledger/booking/burn-down.ts";
import type { Ledger } from "../../../src/ledger/ledger.ts";
import { heldClock } from "../../harness.ts";
import { until } from "../../until.ts";
import { chargeOf, grantOf, requestFor } from "./charges.ts";
import { type Fresh, freshLedger, leftOf } from "./fresh-ledger.ts";
import type { Fixture } from "./ledger.ts";

const DAY = 86_400;

export function ledgerVoidsContract(name: string, prepare: () => Promise<Fixture>) {
  describe(`${name}, voided charges`, () => {
    let ledger: Ledger;
    let losses: Fresh["losses"];
    let clock = heldClock();
    const now = () => Math.floor(clock.now() / 1000);
    freshLedger(prepare, (fresh) => {
      ({ ledger, clock, losses } = fresh);
    });

    const give = (id: string, amountMicros: number, parts: Partial<NewGrant> = {}) =>
      ledger.grant(grantOf({ id, amountMicros, createdAt: now(), ...parts }));
    const book = (charge: Charge) => ledger.charge(charge, requestFor(charge));
    const charge = (costMicros: number) => chargeOf({ costMicros, createdAt: now() });
    const left = () => leftOf(ledger);
    const figures = async () => ({
      ...(await ledger.credit("org")),
      left: await left(),
      ...(await ledger.totals("org")),
    });

    test("voiding a charge with a lost response restores everything but the attempt itself", async () => {
      await give("soon", 10, { expiresAt: now() + DAY });
      await give("never", 10);
      await book(charge(3));
      const before = await figures();
      losses.answers = Number.POSITIVE_INFINITY;
      const lost = charge(12);
      await expect(book(lost)).rejects.toMatchObject({ code: "service_unavailable" });
      expect(await left()).toEqual({ soon: 0, never: 5 });
      await ledger.cancel(lost);
      await ledger.cancel(lost);
      expect(await figures()).toEqual({ ...before, requests: before.requests + 1 });
      expect((await ledger.request("org", lost.requestId))!.costMicros).toBe(0);
    });

    test("a voided charge that was not booked is never booked later", async () => {
      await give("never", 10);
      const failed = charge(4);
      await ledger.cancel(failed);
      expect(await book(failed)).toMatchObject({ costMicros: 0, quantity: 0, burns: [] });
      expect(await figures()).toMatchObject({
        balanceMicros: 10,
        monthMicros: 0,
        costMicros: 0,
        characters: 0,
      });
    });

    test("overdraft of a voided charge that was paid off becomes credit again", async () => {
      await give("first", 10);
      const [covered, uncovered] = [charge(8), charge(9)];
      await book(covered);
      await book(uncovered); // 2 of it from the grant
      await give("second", 20); // settles 7
      await ledger.cancel(uncovered);
      expect(await left()).toEqual({ first: 2, second: 20 });
      await ledger.cancel(covered);
      expect(await left()).toEqual({ first: 10, second: 20 });
      expect(await ledger.credit("org")).toMatchObject({
        balanceMicros: 30,
        overdraftMicros: 0,
        monthMicros: 0,
      });
    });

    test("returned credit pays the overdraft of other charges", async () => {
      await give("only", 10);
      const first = charge(10);
      await book(first);
      await book(charge(4));
      await ledger.cancel(first);
      expect(await ledger.credit("org")).toMatchObject({
        balanceMicros: 6,
        overdraftMicros: 0,
        monthMicros: 4,
      });
    });

    test("voiding a charge of another month leaves this month unchanged", async () => {
      const old = charge(7);
      await book(old);
      clock.pass(40 * DAY * 1000);
      await book(charge(5));
      await ledger.cancel(old);
      expect((await ledger.credit("org")).monthMicros).toBe(5);
      clock.pass(-40 * DAY * 1000);
      expect((await ledger.credit("org")).monthMicros).toBe(0);
    });

    test("delivered work is charged once, however often the store fails", async () => {
      await give("never", 10);
      losses.answers = Number.POSITIVE_INFINITY;
      const owed = charge(4);
      const booked = ledger.owe(owed, requestFor(owed));
      await until(async () => (await ledger.credit("org")).balanceMicros !== 10);
      losses.answers = 0;
      await booked;
      expect(await figures()).toMatchObject({ balanceMicros: 6, requests: 1, costMicros: 4 });
    });

    test("a charged request is in the log and in the sums from its charge on", async () => {
      const paid = charge(4);
      await book(paid);
      expect(await ledger.totals("org")).toMatchObject({ requests: 1, costMicros: 4 });
      expect((await ledger.request("org", paid.requestId))!.costMicros).toBe(4);
      await book({ ...paid, id: `${paid.requestId}.1`, costMicros: 3 });
      await ledger.log(requestFor(paid, { status: 499, durationMs: 9, costMicros: 0 }));
      expect(await ledger.request("org", paid.requestId)).toMatchObject({ status: 499, costMicros: 7 });
      expect(await ledger.totals("org")).toMatchObject({ requests: 0, costMicros: 7 });
    });
  });
}
