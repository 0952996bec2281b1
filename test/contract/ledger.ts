/** What every ledger store must do, whatever it stands on: the contract suite and the model it is held to. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { Charge, NewGrant } from "../../src/ledger/book.ts";
import { type Ledger, openLedger, type Store } from "../../src/ledger/ledger.ts";
import { differencesOf } from "../../src/ledger/verify.ts";
import { heldClock } from "../harness.ts";

/** A database that outlives the stores opened on it. */
export type Ground = AsyncDisposable & { open(): Promise<Store> };

const DAY = 86_400;
let sequence = 0;

export function ledgerContract(name: string, prepare: () => Promise<Ground>) {
  describe(name, () => {
    let ground: Ground;
    let ledger: Ledger;
    let clock = heldClock();
    const now = () => Math.floor(clock.now() / 1000);
    beforeEach(async () => {
      clock = heldClock();
      ground = await prepare();
      ledger = openLedger(await ground.open(), clock);
    });
    afterEach(async () => {
      await ledger[Symbol.asyncDispose]();
      await ground[Symbol.asyncDispose]();
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
      environment: "live",
      requestId: `req_${sequence}`,
      endpoint: "/v1/audio/speech",
      model: "svc-tts1",
      unit: "character",
      quantity: costMicros / 15,
      priceMicros: 15_000_000,
      costMicros,
      createdAt: now(),
      ...parts,
    });
    const spend = (costMicros: number, parts: Partial<Charge> = {}) =>
      ledger.charge(charge(costMicros, parts));
    const remaining = async () =>
      Object.fromEntries(
        (await ledger.grants("org")).map(({ id, remainingMicros }) => [id, remainingMicros]),
      );
    const isClean = async () => expect(differencesOf(await ledger.audit())).toEqual([]);

    test("an organization nobody gave anything has nothing, and a limit of $100 a month", async () => {
      expect(await ledger.credit("org")).toMatchObject({
        balanceMicros: 0,
        overdraftMicros: 0,
        monthMicros: 0,
        monthlyLimitMicros: 100_000_000,
        purchasedMicros: 0,
      });
    });

    test("soonest-expiring pays first, never-expiring last, then the oldest", async () => {
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

    test("a grant stops counting in the second it expires", async () => {
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

    test("the same charge again, at once or later or by another node, is one charge", async () => {
      await give(100);
      const once = charge(10);
      const answers = await Promise.all([ledger.charge(once), ledger.charge(once), ledger.charge(once)]);
      const other = openLedger(await ground.open(), clock);
      answers.push(await other.charge(once), await ledger.charge(once));
      await other[Symbol.asyncDispose]();
      for (const answer of answers) expect(answer).toEqual(answers[0]!);
      expect((await ledger.credit("org")).balanceMicros).toBe(90);
      expect((await ledger.totals("org")).requests).toBe(1);
    });

    test("the same grant again is one grant", async () => {
      const [first, second] = await Promise.all([give(10, { id: "same" }), give(10, { id: "same" })]);
      expect(second).toEqual(first);
      expect((await ledger.credit("org")).balanceMicros).toBe(10);
    });

    test("the month counts its own, in UTC", async () => {
      clock.pass(Date.UTC(2026, 4, 31, 23, 59, 50) - clock.now());
      await spend(7);
      expect((await ledger.credit("org")).monthMicros).toBe(7);
      clock.pass(10_000);
      expect((await ledger.credit("org")).monthMicros).toBe(0);
      await spend(5);
      clock.pass(-20_000); // a clock that was stepped back
      await spend(3);
      clock.pass(20_000);
      expect((await ledger.credit("org")).monthMicros).toBe(5);
      await isClean();
    });

    test("a monthly limit is kept, taken off, and touches nothing else", async () => {
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

    test("organizations never meet", async () => {
      await give(10);
      await spend(5, { organizationId: "other" });
      expect(await ledger.credit("org")).toMatchObject({ balanceMicros: 10, monthMicros: 0 });
      expect(await ledger.credit("other")).toMatchObject({ balanceMicros: 0, overdraftMicros: 5 });
      await isClean();
    });

    test("totals add up by unit", async () => {
      await spend(30, { quantity: 2, requestId: "one" });
      await spend(10, { quantity: 3.4375, unit: "second", requestId: "two" });
      await spend(10, { quantity: 1.25, unit: "second", requestId: "two" });
      expect(await ledger.totals("org")).toEqual({
        requests: 2,
        characters: 2,
        audioSeconds: 4.6875,
        costMicros: 50,
      });
    });

    test("requests are noted once each, newest first, and cost nothing", async () => {
      const request = (id: string, createdAt: number) => ({
        id,
        createdAt,
        durationMs: 12,
        firstByteMs: null,
        endpoint: "/v1/audio/speech",
        method: "POST",
        status: 429,
        errorCode: "rate_limit_exceeded",
        organizationId: "org",
        projectId: "proj",
        keyId: "key",
        environment: "test" as const,
        model: null,
        voice: null,
        stream: false,
        responseFormat: null,
        characters: null,
        audioSeconds: 1.5,
        costMicros: 0,
        ip: "127.0.0.1",
        userAgent: null,
      });
      const noted = [request("req_a", now()), request("req_b", now() + 1)];
      await Promise.all([...noted, noted[0]!].map((one) => ledger.log(one)));
      expect(await ledger.requests("org", 10)).toEqual(noted.toReversed());
      expect((await ledger.requests("org", 1)).length).toBe(1);
      expect(await ledger.requests("other", 10)).toEqual([]);
      const later = { ...noted[0]!, status: 101, durationMs: 900, costMicros: 5 };
      await Promise.all([ledger.log({ ...later, costMicros: 3 }), ledger.log(later)]); // one that goes on is noted again
      expect(await ledger.requests("org", 10)).toEqual([noted[1]!, later]);
      expect((await ledger.totals("org")).requests).toBe(0);
    });

    test("one write that cannot be fails alone", async () => {
      await give(10, { topUpId: "topup" });
      const answers = await Promise.allSettled([spend(1), give(10, { topUpId: "topup" }), spend(2)]);
      expect(answers.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
      expect((await ledger.credit("org")).balanceMicros).toBe(7);
      await isClean();
    });

    test("hundreds at once on one organization are all booked, each once", async () => {
      await give(1_000_000);
      const other = openLedger(await ground.open(), clock);
      const charges = Array.from({ length: 400 }, () => charge(10));
      await Promise.all(charges.map((one, at) => (at % 2 ? ledger : other).charge(one)));
      await other[Symbol.asyncDispose]();
      expect((await ledger.credit("org")).balanceMicros).toBe(1_000_000 - 4000);
      expect((await ledger.totals("org")).requests).toBe(400);
      await isClean();
    });

    test("a torn book is found", async () => {
      await give(100);
      await spend(10);
      const audit = await ledger.audit();
      audit.grants[0]!.remainingMicros += 1;
      audit.accounts[0]!.overdraftMicros += 2;
      audit.accounts[0]!.monthMicros += 3;
      expect(differencesOf(audit).map(({ what }) => what)).toEqual([
        "remaining",
        "overdraft",
        "month 202601",
      ]);
    });
  });
}
