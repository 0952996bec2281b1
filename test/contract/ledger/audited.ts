/** What every ledger store must do of the audit log: write an event with the change, once, and none where nothing changes. */
import { describe, expect, test } from "bun:test";
import type { AuditEventRow } from "../../../src/ledger/booking/write.ts";
import type { Audited, Ledger } from "../../../src/ledger/ledger.ts";
import { freshLedger } from "./fresh-ledger.ts";
import type { Fixture } from "./ledger.ts";

/** `auditEvents`: the rows of the log, in the order of their ids. */
export type AuditedFixture = Fixture & { auditEvents(): Promise<AuditEventRow[]> };

export function ledgerAuditContract(name: string, prepare: () => Promise<AuditedFixture>) {
  describe(`${name}, the audit log`, () => {
    let ledger: Ledger;
    let told: AuditEventRow[];
    let stored: () => Promise<AuditEventRow[]>;
    freshLedger(
      async () => {
        const fixture = await prepare();
        stored = () => fixture.auditEvents();
        return fixture;
      },
      (fresh) => {
        ({ ledger } = fresh);
        told = [];
      },
    );

    let count = 0;
    function audited(field: string, after: unknown): Audited {
      const nothing = { actorId: null, actorEmail: null, address: null, userAgent: null, projectId: null };
      const row = {
        ...{
          id: `audit_${String(++count).padStart(4, "0")}`,
          organizationId: "org",
          type: "billing.test",
          effectiveAt: 1,
        },
        ...{ actorType: "system", resourceId: "org", ...nothing },
        changes: JSON.stringify([{ field, before: null, after }]),
      };
      return { row, written: (each) => told.push(each) };
    }
    const changesOf = async () => (await stored()).map(({ changes }) => JSON.parse(changes)[0]);
    const grant = (id: string, amountMicros: number) =>
      ledger.grant(
        {
          ...{ id, organizationId: "org", kind: "adjustment", amountMicros },
          ...{ createdAt: 1_767_323_045, expiresAt: null, topUpId: null },
        },
        audited("amount", amountMicros),
      );
    const correct = (id: string, amountMicros: number) =>
      ledger.correct(
        {
          ...{ id, organizationId: "org", grantId: "grant_1", amountMicros },
          ...{ reason: "Wrong", overdraft: false, createdAt: 1_767_323_045 },
        },
        audited("taken", amountMicros),
      );

    test("credit that is given and taken back leaves one event each, however often it is sent", async () => {
      await Promise.all([grant("grant_1", 10), grant("grant_1", 10)]);
      await grant("grant_1", 10);
      await correct("rev_1", 4);
      await correct("rev_1", 4);
      expect(await correct("rev_2", 7)).toEqual({ availableMicros: 6 });
      expect(await changesOf()).toEqual([
        { field: "amount", before: null, after: 10 },
        { field: "taken", before: null, after: 4 },
      ]);
      expect(told).toEqual(await stored());
    });

    test("a setting that changes says what it was before, and one that stays as it is leaves nothing", async () => {
      const limit = (micros: number | null) =>
        ledger.setMonthlyLimit("org", micros, audited("limit", micros));
      const { monthlyLimitMicros: first } = await ledger.credit("org");
      await limit(first);
      await limit(5);
      await Promise.all([limit(7), limit(7)]);
      await limit(null);
      await ledger.setBalanceAlert("org", 9, audited("alert", 9));
      await ledger.setBalanceAlert("org", 9, audited("alert", 9));
      expect(await changesOf()).toEqual([
        { field: "limit", before: first, after: 5 },
        { field: "limit", before: 5, after: 7 },
        { field: "limit", before: 7, after: null },
        { field: "alert", before: null, after: 9 },
      ]);
      expect(told).toEqual(await stored());
    });

    test("a change that is refused as an error leaves no event", async () => {
      await expect(grant("grant_1", Number.NaN)).rejects.toThrow();
      await grant("grant_1", 10);
      const other = { organizationId: "other", grantId: "grant_1", id: "rev_3", amountMicros: 1 };
      const correction = { ...other, reason: "Wrong", overdraft: true, createdAt: 1_767_323_045 };
      await expect(ledger.correct(correction, audited("taken", 1))).rejects.toThrow();
      expect(await changesOf()).toEqual([{ field: "amount", before: null, after: 10 }]);
    });
  });
}
