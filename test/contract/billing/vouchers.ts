/** What voucher codes must keep to on every database: each is credit once. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { openVouchers, type Vouchers } from "../../../src/billing/vouchers.ts";
import { openAttemptCounter } from "../../../src/identity/attempt-counter.ts";
import type { BillingCluster } from "../../billing/billing-cluster.ts";

const DAY_MS = 86_400_000;
const UNKNOWN = "000000-000000-000000"; // its check is right

export function voucherContract(store: string, prepare: () => Promise<BillingCluster>) {
  describe(`voucher codes, ${store}`, () => {
    let cluster: BillingCluster;
    let vouchers: Vouchers;
    const open = () => {
      const { clock, node } = cluster;
      return openVouchers({ ...node, attempts: openAttemptCounter(node.database, clock), clock });
    };
    beforeEach(async () => {
      cluster = await prepare();
      vouchers = open();
    });
    afterEach(() => cluster[Symbol.asyncDispose]());

    const made = (count = 1, days: number | null = 30) =>
      vouchers.create({ amountMicros: 10_000_000, count, days, createdBy: null });
    const other = async () => (await cluster.node.accounts.createOrganization("Other")).id;
    const creditOf = async (id: string) => (await cluster.node.ledger.credit(id)).balanceMicros / 1e6;

    test("is credit once, and again for the same organization the same grant", async () => {
      const [{ code } = { code: "" }] = await made();
      const id = cluster.organizationId;
      const grant = await vouchers.redeem(id, code);
      expect(grant).toMatchObject({ kind: "voucher", amountMicros: 10_000_000 });
      expect(grant.expiresAt! - grant.createdAt).toBe(30 * 86_400);
      cluster.clock.pass(40 * DAY_MS); // after the code's own end too
      expect((await vouchers.redeem(id, code.toLowerCase())).id).toBe(grant.id);
      expect((await cluster.node.ledger.grants(id)).length).toBe(1);
      const { purchasedMicros } = await cluster.node.ledger.credit(id);
      expect([purchasedMicros, await cluster.left()]).toEqual([0, 0]);
      expect(await vouchers.list()).toMatchObject([{ redeemedBy: id }]);
    });

    test("is one grant of one organization when many redeem it at once, at several nodes", async () => {
      const [{ code } = { code: "" }] = await made();
      const ids = await Promise.all(Array.from({ length: 6 }, other));
      const nodes = [vouchers, open()];
      const tries = ids.flatMap((id) => nodes.map((node) => node.redeem(id, code)));
      const outcomes = await Promise.allSettled(tries);
      const granted = outcomes.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
      expect(new Set(granted.map(({ id }) => id)).size).toBe(1);
      for (const one of outcomes)
        if (one.status === "rejected") expect(one.reason).toMatchObject({ code: "code_not_redeemable" });
      const credits = await Promise.all(ids.map(creditOf));
      expect(credits.reduce((sum, credit) => sum + credit, 0)).toBe(10);
      await cluster.left(); // the ledger adds up
    });

    test("is granted by the next try when the process ended before the credit", async () => {
      const [{ code, id } = { code: "", id: "" }] = await made();
      const { query, tables } = cluster.node.database;
      const claimed = {
        redeemedBy: cluster.organizationId,
        redeemedAt: Math.floor(cluster.clock.now() / 1000),
      };
      await query.update(tables.voucher).set(claimed);
      await vouchers.redeem(cluster.organizationId, code);
      expect(await cluster.left()).toBe(10);
      await expect(vouchers.void(id)).rejects.toMatchObject({ code: "code_not_redeemable" });
    });

    test("is refused when it is void, over or unknown, and stored as a hash only", async () => {
      const [first, second] = await made(2, 1);
      const redeem = (code: string) => vouchers.redeem(cluster.organizationId, code);
      await vouchers.void(first!.id);
      await vouchers.void(first!.id);
      await expect(redeem(first!.code)).rejects.toMatchObject({ code: "code_not_redeemable" });
      cluster.clock.pass(DAY_MS);
      await expect(redeem(second!.code)).rejects.toMatchObject({ code: "code_not_redeemable" });
      await expect(redeem(UNKNOWN)).rejects.toMatchObject({ code: "not_found" });
      await expect(vouchers.void("code_unknown")).rejects.toMatchObject({ code: "not_found" });
      const { query, tables } = cluster.node.database;
      const stored = JSON.stringify(await query.select().from(tables.voucher));
      for (const { code } of [first!, second!]) {
        expect(stored).not.toContain(code);
        expect(stored).not.toContain(code.replaceAll("-", ""));
      }
      expect(JSON.stringify(await vouchers.list())).not.toContain("hash");
      expect(await cluster.granted()).toBe(0);
    });

    test("leaves an event for each that is made and each that is void, with the change", async () => {
      const both = await made(2);
      const id = both[0]!.id;
      await Promise.all([vouchers.void(id), open().void(id)]);
      const { query, tables } = cluster.node.database;
      const events = (await query.select().from(tables.auditEvent)).filter(({ resourceId }) =>
        resourceId?.startsWith("code_"),
      );
      const told = events.map(({ type, resourceId, organizationId }) => [type, resourceId, organizationId]);
      const expected = [
        ...both.map((one) => ["billing.code.created", one.id, null]),
        ["billing.code.voided", id, null],
      ];
      expect(told.toSorted()).toEqual(expected.toSorted());
      expect(events.find(({ type }) => type === "billing.code.created")!.changes).toContain("10000000");
      for (const { code } of both) expect(JSON.stringify(events)).not.toContain(code);
    });

    test("leaves one event with its credit, however often it is redeemed", async () => {
      const [{ code, id } = { code: "", id: "" }] = await made();
      const grant = await vouchers.redeem(cluster.organizationId, code);
      await Promise.all([vouchers, open()].map((node) => node.redeem(cluster.organizationId, code)));
      const { query, tables } = cluster.node.database;
      const events = (await query.select().from(tables.auditEvent)).filter(
        ({ type }) => type === "billing.credit.granted",
      );
      expect(events).toMatchObject([{ organizationId: cluster.organizationId, resourceId: grant.id }]);
      expect(JSON.parse(events[0]!.changes)).toEqual([
        { field: "amount_micros", before: null, after: 10_000_000 },
        { field: "code", before: null, after: id },
      ]);
      expect(JSON.stringify(events)).not.toContain(code);
    });

    test("may be tried ten times an hour by an organization, typing errors not counted", async () => {
      const [{ code } = { code: "" }] = await made();
      const redeem = (typed: string) => vouchers.redeem(cluster.organizationId, typed);
      const mistyped = { details: [{ field: "code", code: "malformed" }] };
      for (let turn = 0; turn < 12; turn++) await expect(redeem(`${code}0`)).rejects.toMatchObject(mistyped);
      for (let turn = 0; turn < 10; turn++)
        await expect(redeem(UNKNOWN)).rejects.toMatchObject({ code: "not_found" });
      await expect(redeem(code)).rejects.toMatchObject({ code: "rate_limit_exceeded" });
      cluster.clock.pass(DAY_MS / 24 + 1000);
      await redeem(code);
      expect(await cluster.left()).toBe(10);
    });
  });
}
