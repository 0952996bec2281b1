/** What every ledger store must do with what is wrong: clocks, amounts, texts. */
import { describe, expect, test } from "bun:test";
import type { Charge, NewGrant } from "../../../src/ledger/booking/burn-down.ts";
import type { Ledger } from "../../../src/ledger/ledger.ts";
import { heldClock } from "../../harness.ts";
import { chargeOf, grantOf, requestFor, requestOf } from "./charges.ts";
import { freshLedger } from "./fresh-ledger.ts";
import type { Fixture } from "./ledger.ts";

const DAY = 86_400;

export function ledgerOddsContract(name: string, prepare: () => Promise<Fixture>) {
  describe(`${name}, invalid input`, () => {
    let ledger: Ledger;
    let clock = heldClock();
    const now = () => Math.floor(clock.now() / 1000);
    freshLedger(prepare, (fresh) => {
      ({ ledger, clock } = fresh);
    });

    const book = (charge: Charge) => ledger.charge(charge, requestFor(charge));
    const spend = (costMicros: number, parts: Partial<Charge> = {}) =>
      book(chargeOf({ costMicros, createdAt: now(), ...parts }));
    const give = (amountMicros: number, parts: Partial<NewGrant> = {}) =>
      ledger.grant(grantOf({ amountMicros, createdAt: now(), ...parts }));
    const monthMicros = async () => {
      const [one, all] = [await ledger.credit("org"), await ledger.credits()];
      expect(all("org")).toEqual(one);
      return one.monthMicros;
    };

    test.each([40, 400, -400])(
      "a clock that was %d days off for one charge takes nothing from the month",
      async (days) => {
        await spend(9);
        clock.pass(days * DAY * 1000);
        await spend(1);
        expect(await monthMicros()).toBe(1);
        clock.pass(-days * DAY * 1000);
        expect(await monthMicros()).toBe(9);
        await Promise.all([spend(4), spend(6)]);
        expect(await monthMicros()).toBe(19);
      },
    );

    test("charges of two months in one batch are counted separately", async () => {
      const later = (days: number) => ({ createdAt: now() + days * DAY });
      const charges = [spend(1), spend(2, later(60)), spend(4), spend(8, later(60)), spend(16, later(30))];
      await Promise.all(charges);
      expect(await monthMicros()).toBe(5);
      clock.pass(60 * DAY * 1000);
      expect(await monthMicros()).toBe(10);
    });

    test.each([-5_000_000, 0.5, Number.NaN, 2 ** 60])(
      "%d micros are neither charged, granted nor taken back",
      async (micros) => {
        await give(10);
        const reversal = { id: "refund", organizationId: "org", grantId: "grant", kind: "refund" } as const;
        const asked = [
          spend(micros, { quantity: 1 }),
          spend(1, { quantity: -1 }),
          give(micros, { id: "other" }),
          ledger.reverse({ ...reversal, amountMicros: micros, createdAt: now() }),
          ledger.setMonthlyLimit("org", micros),
          spend(3),
        ];
        const kept = (await Promise.allSettled(asked)).map(({ status }) => status);
        expect(kept).toEqual([...Array(5).fill("rejected"), "fulfilled"]);
        expect(await ledger.credit("org")).toMatchObject({ balanceMicros: 7, purchasedMicros: 10 });
      },
    );

    test("text that no database can store is written without the invalid characters", async () => {
      const logs = [
        requestOf({ model: "a\0b" }),
        requestOf({ voice: "\ud800", userAgent: "\udc00\0" }),
        requestOf(),
      ];
      await Promise.all(logs.map((log) => ledger.log(log)));
      const [first, second] = await Promise.all(logs.map(({ id }) => ledger.request("org", id)));
      expect(first!.model).toBe("a\ufffdb");
      expect([second!.voice, second!.userAgent]).toEqual(["\ufffd", "\ufffd\ufffd"]);
      expect((await ledger.totals("org")).requests).toBe(3);
    });
  });
}
