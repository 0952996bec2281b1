/** What tax on purchases must keep to on every database: only the amount without it becomes credit, and goes back. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { openBillingStores } from "../../../src/billing/billing.ts";
import { reconcile, repair } from "../../../src/billing/reconcile.ts";
import { openPayments } from "../../../src/billing/stripe.ts";
import { readConfig } from "../../../src/config/config.ts";
import { openLog } from "../../../src/log/log.ts";
import type { BillingCluster } from "../../billing/billing-cluster.ts";
import { until } from "../../until.ts";

type Intent = {
  id: string;
  object: string;
  created: number;
  amount: number;
  metadata: Record<string, string>;
};

export function taxContract(store: string, prepare: () => Promise<BillingCluster>) {
  describe(`tax on purchases, ${store}`, () => {
    let cluster: BillingCluster;
    beforeEach(async () => {
      cluster = await prepare();
      cluster.stripe.tax.percent = 19;
    });
    afterEach(() => cluster[Symbol.asyncDispose]());

    const read = (id: string) => cluster.node.billing.topUp(cluster.organizationId, id);
    const paid = () => cluster.stripe.all<Intent>("payment_intent").at(-1)!;
    async function bought(): Promise<string> {
      const topUp = await cluster.buy();
      cluster.stripe.pay(topUp.checkoutSessionId);
      await cluster.stripe.settled();
      return topUp.id;
    }
    function stores() {
      const payments = openPayments(readConfig(cluster.environment).stripe!);
      const { clock } = cluster;
      return openBillingStores({
        ...{ ...cluster.node, payments, clock, origin: () => "http://localhost" },
        log: openLog("silent", () => {}),
      });
    }
    const differences = () => reconcile(stores(), 0);
    async function expectCredit(id: string): Promise<void> {
      expect(paid().amount).toBe(2380);
      expect(await cluster.left()).toBe(20);
      expect(await read(id)).toMatchObject({
        ...{ status: "succeeded", amountMicros: 20_000_000, taxMicros: 3_800_000 },
      });
      const { purchasedMicros } = await cluster.node.ledger.credit(cluster.organizationId);
      expect(purchasedMicros).toBe(20_000_000);
      expect(await differences()).toEqual([]);
    }

    test("on top of the price is no credit, when the events come", async () => {
      await expectCredit(await bought());
    });

    test("on top of the price is no credit, when the browser asks", async () => {
      cluster.stripe.hold();
      const id = await bought();
      await read(id);
      await expectCredit(id);
    });

    test("on top of the price is no credit, when the reconcile job finds the payment", async () => {
      cluster.stripe.hold();
      const id = await bought();
      cluster.clock.pass(61_000);
      await cluster.node.billing.sweep();
      await expectCredit(id);
    });

    test("on top of the price is no credit, when a top-up is restored from Stripe", async () => {
      cluster.stripe.hold();
      const id = await bought();
      const { query, tables } = cluster.node.database;
      await query.delete(tables.topUp).where(eq(tables.topUp.id, id));
      await repair(stores(), 0);
      await expectCredit(id);
    });

    test("within the price leaves the price as credit", async () => {
      cluster.stripe.tax.isInclusive = true;
      const id = await bought();
      expect([paid().amount, await cluster.left()]).toEqual([2000, 20]);
      expect(await read(id)).toMatchObject({ amountMicros: 20_000_000, taxMicros: 0 });
      cluster.stripe.refund(paid().id, { cents: 500 });
      await cluster.stripe.settled();
      expect(await cluster.left()).toBe(15);
    });

    test("goes back with its share of a refund, rounded down, and all of it with the last one", async () => {
      const id = await bought();
      cluster.stripe.refund(paid().id, { cents: 1190 });
      await cluster.stripe.settled();
      expect(await cluster.left()).toBe(10);
      cluster.stripe.refund(paid().id, { cents: 100 });
      await cluster.stripe.settled();
      expect((await read(id))!.refundedMicros).toBe(10_000_000 + 840_336); // 1 / 1.19, rounded down
      cluster.stripe.refund(paid().id);
      await cluster.stripe.settled();
      expect(await cluster.left()).toBeLessThan(0.00001);
      expect(await differences()).toEqual([]);
    });

    test("comes back with a refund that failed and a dispute that was won", async () => {
      await bought();
      const refund = cluster.stripe.refund(paid().id, { cents: 1190 });
      await cluster.stripe.settled();
      cluster.stripe.changeRefund(refund.id, "failed");
      await cluster.stripe.settled();
      expect(await cluster.left()).toBe(20);
      const dispute = cluster.stripe.dispute(paid().id);
      await cluster.stripe.settled();
      expect(await cluster.left()).toBe(0);
      cluster.stripe.closeDispute(dispute.id, "won");
      await cluster.stripe.settled();
      expect(await cluster.left()).toBe(20);
      expect(await differences()).toEqual([]);
    });

    test("is not in what auto-recharge charges, and credit of payments by earlier versions stays whole", async () => {
      await cluster.recharge();
      const { node, organizationId } = cluster;
      const isSucceeded = async () =>
        (await node.billing.topUps(organizationId)).every(({ status }) => status === "succeeded");
      await until(async () => (await cluster.left()) === 20 && (await isSucceeded())); // written after the credit
      expect(paid().amount).toBe(2000);
      delete paid().metadata.credit_cents; // as earlier versions made it
      expect(await differences()).toEqual([]);
    });
  });
}
