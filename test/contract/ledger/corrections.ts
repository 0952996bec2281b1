/** What every ledger store must do of credit that an operator takes back: never more than was given, once for an id. */
import { describe, expect, test } from "bun:test";
import type { NewGrant } from "../../../src/ledger/booking/burn-down.ts";
import { type Correction, type Ledger, openLedger } from "../../../src/ledger/ledger.ts";
import { heldClock } from "../../harness.ts";
import { chargeOf, grantOf, requestFor } from "./charges.ts";
import { freshLedger, leftOf } from "./fresh-ledger.ts";
import type { Fixture } from "./ledger.ts";

const DAY = 86_400;

export function ledgerCorrectionsContract(name: string, prepare: () => Promise<Fixture>) {
  describe(`${name}, corrections`, () => {
    let ledger: Ledger;
    let clock = heldClock();
    let fixture: Fixture;
    let sequence = 0;
    const now = () => Math.floor(clock.now() / 1000);
    freshLedger(
      async () => {
        fixture = await prepare();
        return fixture;
      },
      (fresh) => {
        ({ ledger, clock } = fresh);
      },
    );

    const give = (id: string, amountMicros: number, parts: Partial<NewGrant> = {}) =>
      ledger.grant(grantOf({ id, amountMicros, createdAt: now(), ...parts }));
    const correct = (grantId: string, amountMicros: number, parts: Partial<Correction> = {}) =>
      ledger.correct({
        id: `rev_${++sequence}`,
        organizationId: "org",
        ...{ grantId, amountMicros, createdAt: now(), reason: "Granted twice", overdraft: false },
        ...parts,
      });
    async function spend(costMicros: number): Promise<void> {
      const charge = chargeOf({ costMicros, createdAt: now() });
      await ledger.charge(charge, requestFor(charge));
    }

    test("takes from its grant first, then as a charge does, and keeps its reason", async () => {
      await give("soon", 10, { expiresAt: now() + DAY });
      await give("wrong", 20);
      await spend(15);
      expect(await correct("wrong", 12)).toMatchObject({ kind: "correction", burns: [["wrong", 12]] });
      expect(await leftOf(ledger)).toEqual({ soon: 0, wrong: 3 });
      expect(await ledger.reversals("org")).toMatchObject([
        { kind: "correction", grantId: "wrong", amountMicros: 12, reason: "Granted twice" },
      ]);
    });

    test("takes nothing where grants have less, and says how much they have", async () => {
      await give("wrong", 20);
      await spend(15);
      expect(await correct("wrong", 6)).toEqual({ availableMicros: 5 });
      expect(await leftOf(ledger)).toEqual({ wrong: 5 });
      expect(await ledger.reversals("org")).toEqual([]);
      expect(await correct("wrong", 5)).toMatchObject({ burns: [["wrong", 5]], overdraftMicros: 0 });
    });

    test("with overdraft takes what was spent too, and the next grant pays it", async () => {
      await give("wrong", 20);
      await spend(15);
      expect(await correct("wrong", 20, { overdraft: true })).toMatchObject({ overdraftMicros: 15 });
      expect(await ledger.credit("org")).toMatchObject({ balanceMicros: 0, overdraftMicros: 15 });
      expect(await give("next", 40)).toMatchObject({ settledMicros: 15, remainingMicros: 25 });
    });

    test("never takes more of a grant than it was, whatever took the rest", async () => {
      await give("wrong", 20);
      await give("other", 100);
      await ledger.reverse({
        ...{ id: "refund_1", organizationId: "org", grantId: "wrong", kind: "refund" },
        ...{ amountMicros: 8, createdAt: now() },
      });
      const answers = await Promise.all([correct("wrong", 7), correct("wrong", 7, { overdraft: true })]);
      expect(answers).toMatchObject([{ amountMicros: 7 }, { availableMicros: 5 }]);
      const other = openLedger(await fixture.open(), clock);
      const late = await other.correct({
        ...{ id: "rev_late", organizationId: "org", grantId: "wrong", amountMicros: 6, createdAt: now() },
        ...{ reason: "Again", overdraft: true },
      });
      expect(late).toEqual({ availableMicros: 5 });
      await other[Symbol.asyncDispose]();
      expect(await leftOf(ledger)).toEqual({ wrong: 5, other: 100 });
    });

    test("is booked once for an id", async () => {
      await give("wrong", 20);
      const once = () => correct("wrong", 4, { id: "rev_same" });
      const [first, ...repeated] = [...(await Promise.all([once(), once()])), await once()];
      for (const answer of repeated) expect(answer).toEqual(first!);
      expect(await leftOf(ledger)).toEqual({ wrong: 16 });
    });

    test("of a purchase leaves what counts as bought", async () => {
      await give("bought", 20, { kind: "purchase" });
      await correct("bought", 4);
      expect(await ledger.credit("org")).toMatchObject({ balanceMicros: 16, purchasedMicros: 20 });
    });

    test("of a grant of another organization has its own error", async () => {
      await give("theirs", 10, { organizationId: "other" });
      const answers = await Promise.allSettled([correct("theirs", 1), correct("unknown", 1)]);
      expect(answers.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
      expect((await ledger.credit("other")).balanceMicros).toBe(10);
    });
  });
}
