/** What every ledger store must do, whatever it stands on: the contract suite and the model it is held to. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { Charge, NewGrant, NewReversal } from "../../../src/ledger/booking/burn-down.ts";
import { type Ledger, openLedger } from "../../../src/ledger/ledger.ts";
import type { Store } from "../../../src/ledger/store.ts";
import { differencesOf } from "../../../src/ledger/verify.ts";
import { heldClock } from "../../harness.ts";
import { requestFor } from "./charges.ts";

/** A database that outlives the stores opened on it. */
export type Fixture = AsyncDisposable & { open(): Promise<Store> };
const DAY = 86_400;
let sequence = 0;

export function ledgerContract(name: string, prepare: () => Promise<Fixture>) {
  describe(name, () => {
    let fixture: Fixture;
    let ledger: Ledger;
    let clock = heldClock();
    const now = () => Math.floor(clock.now() / 1000);
    beforeEach(async () => {
      clock = heldClock();
      fixture = await prepare();
      ledger = openLedger(await fixture.open(), clock);
    });
    afterEach(async () => {
      await ledger[Symbol.asyncDispose]();
      await fixture[Symbol.asyncDispose]();
    });

    const give = (amountMicros: number, parts: Partial<NewGrant> = {}) =>
      ledger.grant({
        id: `grant_${++sequence}`,
        organizationId: "org",
        kind: "adjustment",
        amountMicros,
        createdAt: now(),
        expiresAt: null,
        topUpId: null,
        ...parts,
      });
    const charge = (costMicros: number, parts: Partial<Charge> = {}): Charge => ({
      id: `req_${++sequence}.0`,
      organizationId: "org",
      projectId: "proj",
      keyId: "key",
      ...({ environment: "live", plan: "prepaid" } as const),
      requestId: `req_${sequence}`,
      endpoint: "/v1/audio/speech",
      model: "svc-tts1",
      unit: "character",
      quantity: costMicros,
      priceMicros: 1_000_000,
      costMicros,
      createdAt: now(),
      ...parts,
    });
    const book = (on: Ledger, one: Charge) => on.charge(one, requestFor(one));
    const spend = (costMicros: number, parts: Partial<Charge> = {}) =>
      book(ledger, charge(costMicros, parts));
    const remaining = async () =>
      Object.fromEntries(
        (await ledger.grants("org")).map(({ id, remainingMicros }) => [id, remainingMicros]),
      );
    const isClean = async () => expect(differencesOf(await ledger.audit())).toEqual([]);

    test("a new organization has no credit and a limit of $100 a month", async () => {
      expect(await ledger.credit("org")).toMatchObject({
        balanceMicros: 0,
        overdraftMicros: 0,
        monthMicros: 0,
        monthlyLimitMicros: 100_000_000,
        purchasedMicros: 0,
      });
    });

    test("grants that expire soonest pay first, those without expiry last, then the oldest", async () => {
      await give(10, { id: "never" });
      await give(10, { id: "later", expiresAt: now() + 2 * DAY });
      await give(10, { id: "soon", expiresAt: now() + DAY });
      clock.pass(1000);
      await give(10, { id: "soon-too", expiresAt: now() - 1 + DAY });
      const event = await spend(35);
      expect(event.burns).toEqual([
        ["soon", 10],
        ["soon-too", 10],
        ["later", 10],
        ["never", 5],
      ]);
      expect(await remaining()).toEqual({ "soon-too": 0, soon: 0, later: 0, never: 5 });
      await isClean();
    });

    test("a grant stops counting in the second of its expiry", async () => {
      await give(10, { expiresAt: now() + 60 });
      clock.pass(59_000);
      expect((await ledger.credit("org")).balanceMicros).toBe(10);
      clock.pass(1000);
      expect((await ledger.credit("org")).balanceMicros).toBe(0);
      expect(await spend(4)).toMatchObject({ burns: [], overdraftMicros: 4 });
      await isClean();
    });

    test("what no grant covers is overdraft, and the next grant pays it off first", async () => {
      await give(10);
      expect(await spend(25)).toMatchObject({ overdraftMicros: 15 });
      expect(await ledger.credit("org")).toMatchObject({ balanceMicros: 0, overdraftMicros: 15 });
      expect(await give(12)).toMatchObject({ settledMicros: 12, remainingMicros: 0 });
      expect(await ledger.credit("org")).toMatchObject({ balanceMicros: 0, overdraftMicros: 3 });
      expect(await give(12, { kind: "purchase" })).toMatchObject({ settledMicros: 3, remainingMicros: 9 });
      expect(await ledger.credit("org")).toMatchObject({
        balanceMicros: 9,
        overdraftMicros: 0,
        purchasedMicros: 12,
      });
      await isClean();
    });

    test("a charge repeated at once, later or by another node is booked once", async () => {
      await give(100);
      const once = charge(10);
      const answers = await Promise.all([book(ledger, once), book(ledger, once), book(ledger, once)]);
      const other = openLedger(await fixture.open(), clock);
      answers.push(await book(other, once), await book(ledger, once));
      await other[Symbol.asyncDispose]();
      for (const answer of answers) expect(answer).toEqual(answers[0]!);
      expect((await ledger.credit("org")).balanceMicros).toBe(90);
      expect((await ledger.totals("org")).costMicros).toBe(10);
    });

    test("a repeated grant is booked once", async () => {
      const [first, second] = await Promise.all([give(10, { id: "same" }), give(10, { id: "same" })]);
      expect(second).toEqual(first);
      expect((await ledger.credit("org")).balanceMicros).toBe(10);
    });

    describe("credit that is taken back", () => {
      const reverse = (amountMicros: number, parts: Partial<NewReversal> = {}) =>
        ledger.reverse({
          id: `refund_${++sequence}`,
          organizationId: "org",
          grantId: "bought",
          kind: "refund",
          amountMicros,
          createdAt: now(),
          ...parts,
        });

      test("comes from its grant, then from the others in the order of spending, then it is overdraft", async () => {
        await give(10, { id: "bought", kind: "purchase" });
        await give(10, { id: "never" });
        await give(10, { id: "soon", expiresAt: now() + DAY });
        expect(await reverse(4)).toMatchObject({ burns: [["bought", 4]], overdraftMicros: 0 });
        expect(await reverse(30)).toMatchObject({
          burns: [
            ["bought", 6],
            ["soon", 10],
            ["never", 10],
          ],
          overdraftMicros: 4,
        });
        expect(await ledger.credit("org")).toMatchObject({
          balanceMicros: 0,
          overdraftMicros: 4,
          monthMicros: 0,
        });
        await isClean();
        expect(await give(10)).toMatchObject({ settledMicros: 4, remainingMicros: 6 });
        await isClean();
      });

      test("comes from its grant even when that has expired", async () => {
        await give(10, { id: "bought", kind: "purchase", expiresAt: now() + 60 });
        await give(10, { id: "never" });
        clock.pass(60_000);
        expect(await reverse(15)).toMatchObject({
          burns: [
            ["bought", 10],
            ["never", 5],
          ],
        });
        await isClean();
      });

      test("reduces the total bought, never below zero; other grants do not", async () => {
        await give(10, { id: "bought", kind: "purchase" });
        await give(10, { id: "given" });
        await reverse(5, { grantId: "given" });
        expect((await ledger.credit("org")).purchasedMicros).toBe(10);
        await reverse(4, { kind: "dispute" });
        expect((await ledger.credit("org")).purchasedMicros).toBe(6);
        await reverse(10);
        expect((await ledger.credit("org")).purchasedMicros).toBe(0);
        await isClean();
      });

      test("is booked once, also when repeated later or by another node", async () => {
        await give(10, { id: "bought", kind: "purchase" });
        const again = () => reverse(4, { id: "refund" });
        const answers = await Promise.all([again(), again()]);
        await spend(6);
        answers.push(await again());
        for (const answer of answers) expect(answer).toEqual(answers[0]!);
        expect(await ledger.credit("org")).toMatchObject({ balanceMicros: 0, purchasedMicros: 6 });
        await isClean();
      });

      test("from an unknown grant or one of another organization has its own error", async () => {
        await give(10, { id: "bought", organizationId: "other" });
        const answers = await Promise.allSettled([spend(1), reverse(5), reverse(5, { grantId: "nobody's" })]);
        expect(answers.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected"]);
        expect((await ledger.credit("other")).balanceMicros).toBe(10);
        await isClean();
      });
    });

    test("a month's spending is counted in UTC", async () => {
      clock.pass(Date.UTC(2026, 4, 31, 23, 59, 50) - clock.now());
      await spend(7);
      expect((await ledger.credit("org")).monthMicros).toBe(7);
      clock.pass(10_000);
      expect((await ledger.credit("org")).monthMicros).toBe(0);
      await spend(5);
      clock.pass(-20_000); // a clock that was stepped back
      await spend(3);
      expect((await ledger.credit("org")).monthMicros).toBe(10);
      clock.pass(20_000);
      expect((await ledger.credit("org")).monthMicros).toBe(5);
      await isClean();
    });

    test("a monthly limit can be set and removed, and changes nothing else", async () => {
      await give(10);
      await spend(3);
      await ledger.setMonthlyLimit("org", 5);
      expect(await ledger.credit("org")).toMatchObject({
        monthlyLimitMicros: 5,
        balanceMicros: 7,
        monthMicros: 3,
      });
      await ledger.setMonthlyLimit("org", null);
      expect((await ledger.credit("org")).monthlyLimitMicros).toBeNull();
    });

    test("organizations are independent", async () => {
      await give(10);
      await spend(5, { organizationId: "other" });
      expect(await ledger.credit("org")).toMatchObject({ balanceMicros: 10, monthMicros: 0 });
      expect(await ledger.credit("other")).toMatchObject({ balanceMicros: 0, overdraftMicros: 5 });
      await isClean();
    });

    test("the balances of all organizations equal the single ones", async () => {
      await give(10);
      await give(3, { expiresAt: now() + DAY });
      await spend(5, { organizationId: "other" });
      clock.pass(40 * DAY * 1000);
      const creditOf = await ledger.credits();
      expect(creditOf("org").balanceMicros).toBe(10);
      for (const id of ["org", "other", "nobody"]) expect(creditOf(id)).toEqual(await ledger.credit(id));
    });

    test("a write that is invalid fails alone", async () => {
      await give(10, { topUpId: "topup" });
      const answers = await Promise.allSettled([spend(1), give(10, { topUpId: "topup" }), spend(2)]);
      expect(answers.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
      expect((await ledger.credit("org")).balanceMicros).toBe(7);
      await isClean();
    });

    test("hundreds of charges at once on one organization are each booked once", async () => {
      await give(1_000_000);
      const other = openLedger(await fixture.open(), clock);
      const charges = Array.from({ length: 400 }, () => charge(10));
      await Promise.all(charges.map((one, index) => book(index % 2 ? ledger : other, one)));
      await other[Symbol.asyncDispose]();
      expect((await ledger.credit("org")).balanceMicros).toBe(1_000_000 - 4000);
      expect((await ledger.totals("org")).costMicros).toBe(4000);
      await isClean();
    });

    test("an inconsistent account is detected", async () => {
      await give(100);
      await spend(10);
      const audit = await ledger.audit();
      audit.grants[0]!.remainingMicros += 1;
      audit.accounts[0]!.overdraftMicros += 2;
      audit.accounts[0]!.monthMicros += 3;
      audit.accounts[0]!.totalMicros += 4;
      audit.counts[0]!.summed.errors += 5;
      expect(differencesOf(audit).map(({ what }) => what)).toEqual([
        "remaining",
        "overdraft",
        "usage",
        "month 202601",
        "errors",
      ]);
    });
  });
}
