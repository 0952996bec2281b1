/** What refunds and disputes must keep to on every database: credit goes back once, whatever was spent of it. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { tierOf } from "../../../src/plans.ts";
import { type BillingCluster, OWNERS } from "../../billing/billing-cluster.ts";
import { quietAccounts } from "../../billing/quiet-accounts.ts";
import { until } from "../../until.ts";

export function reclaimContract(store: string, prepare: () => Promise<BillingCluster>) {
  describe(`refunds and disputes, ${store}`, () => {
    let cluster: BillingCluster;
    let topUpId: string;
    let paymentId: string;
    beforeEach(async () => {
      cluster = await prepare();
      const topUp = await cluster.buy();
      topUpId = topUp.id;
      cluster.stripe.pay(topUp.checkoutSessionId);
      await cluster.stripe.settled();
      paymentId = (await read())!.paymentIntentId!;
    });
    afterEach(() => cluster[Symbol.asyncDispose]());

    const read = () => cluster.node.billing.topUp(cluster.organizationId, topUpId);
    const tier = async () =>
      tierOf((await cluster.node.ledger.credit(cluster.organizationId)).purchasedMicros);
    /** What is left and was refunded, in dollars, however often everything is told again. */
    async function expectLeft(left: number, refunded: number): Promise<void> {
      await cluster.stripe.settled();
      for (const event of cluster.stripe.events) expect(await cluster.stripe.deliver(event)).toBe(200);
      expect(await cluster.left()).toBe(left);
      expect((await read())!.refundedMicros).toBe(refunded * 1e6);
    }

    test("a partial refund is taken back, then the rest", async () => {
      expect(await tier()).toBe("paid");
      cluster.stripe.refund(paymentId, { cents: 500 });
      await expectLeft(15, 5);
      expect(await tier()).toBe("paid");
      cluster.stripe.refund(paymentId);
      await expectLeft(0, 20);
      expect(await tier()).toBe("free");
    });

    test("a payment and what is refunded of it are raised once, however often they are told", async () => {
      cluster.stripe.refund(paymentId, { cents: 500 });
      await expectLeft(15, 5);
      const { query, tables } = cluster.node.database;
      const events = (await query.select().from(tables.event)).filter(({ type }) =>
        type.startsWith("payment."),
      );
      expect(events.map(({ type, data }) => [type, JSON.parse(data)]).toSorted()).toMatchObject([
        ["payment.refunded", { top_up_id: topUpId, kind: "refund", amount_micros: 5_000_000 }],
        ["payment.succeeded", { top_up_id: topUpId, amount_micros: 20_000_000, paid_micros: 20_000_000 }],
      ]);
    });

    test("a full refund of spent credit leaves an overdraft, which the next top-up pays", async () => {
      await cluster.spend(18);
      cluster.stripe.refund(paymentId);
      await expectLeft(-18, 20);
      const next = await cluster.buy(50);
      cluster.stripe.pay(next.checkoutSessionId);
      await expectLeft(32, 20);
    });

    test("a refund reported before its payment is taken back once", async () => {
      cluster.stripe.hold();
      const topUp = await cluster.buy(100);
      cluster.stripe.pay(topUp.checkoutSessionId);
      const { id } = cluster.stripe.all("payment_intent").at(-1)!;
      cluster.stripe.refund(id, { cents: 2500 });
      await cluster.stripe.release((all) => all.toReversed());
      await expectLeft(20 + 75, 0);
      expect(await cluster.node.billing.topUp(cluster.organizationId, topUp.id)).toMatchObject({
        status: "succeeded",
        refundedMicros: 25_000_000,
      });
    });

    test("a refund counts when it succeeds, and is reversed when it fails later", async () => {
      const refund = cluster.stripe.refund(paymentId, { status: "pending" });
      await expectLeft(20, 0);
      cluster.stripe.changeRefund(refund.id, "succeeded");
      await expectLeft(0, 20);
      cluster.stripe.changeRefund(refund.id, "failed");
      await expectLeft(20, 0);
      const other = cluster.stripe.refund(paymentId, { status: "pending" });
      cluster.stripe.changeRefund(other.id, "failed");
      await expectLeft(20, 0);
      expect(await cluster.granted()).toBe(40);
    });

    test("a dispute takes all credit, and keeps it when lost", async () => {
      await cluster.spend(5);
      const dispute = cluster.stripe.dispute(paymentId);
      await expectLeft(-5, 20);
      expect(await tier()).toBe("free");
      cluster.stripe.closeDispute(dispute.id, "lost");
      await expectLeft(-5, 20);
    });

    test("a dispute that is won returns the credit once, in any order of events", async () => {
      cluster.stripe.hold();
      const dispute = cluster.stripe.dispute(paymentId);
      cluster.stripe.closeDispute(dispute.id, "won");
      await cluster.stripe.release((all) => all.toReversed());
      await expectLeft(20, 0);
      expect(await cluster.node.ledger.grants(cluster.organizationId)).toHaveLength(2);
      expect(await tier()).toBe("paid");
    });

    describe("auto-recharge", () => {
      const account = () => cluster.node.billing.account(cluster.organizationId);
      const charges = () => cluster.stripe.all("payment_intent").length;
      const sweep = async () => {
        cluster.clock.pass(61_000);
        await cluster.node.billing.sweep();
      };

      test.each(["refunded", "disputed"] as const)(
        "is switched off by a payment that is %s, and charges no card until an owner switches it on",
        async (why) => {
          await cluster.recharge(); // what was bought is enough: nothing is charged
          await cluster.spend(18);
          await until(() => charges() === 2);
          await until(async () => (await cluster.left()) === 20);
          if (why === "refunded") cluster.stripe.refund(paymentId);
          else cluster.stripe.dispute(paymentId);
          await cluster.stripe.settled();
          expect(await cluster.left()).toBe(0);
          for (let turn = 0; turn < 3; turn++) await sweep();
          await cluster.spend(1);
          await sweep();
          expect(charges()).toBe(2);
          expect(await account()).toMatchObject({ rechargeEnabled: false, rechargeProblem: why });
          expect(cluster.node.mails.map(({ to }) => to).toSorted()).toEqual(OWNERS);
          expect(cluster.node.mails[0]!.text).toContain(`was ${why}, and its credit was taken back`);
          const amounts = { thresholdMicros: 5e6, targetMicros: 20e6 };
          await cluster.node.billing.setRecharge(cluster.organizationId, { enabled: true, ...amounts });
          await until(() => charges() === 3);
          await until(async () => (await cluster.left()) === 20);
          for (const event of cluster.stripe.events) await cluster.stripe.deliver(event); // what is told again changes nothing
          expect(await account()).toMatchObject({ rechargeEnabled: true, rechargeProblem: null });
        },
      );

      test("is not switched on again by a charge that fails at the same time", async () => {
        await cluster.recharge("declinedLater");
        const { database } = cluster.node;
        const accounts = quietAccounts(database);
        const before = await cluster.buy();
        await accounts.stopRecharge(cluster.organizationId, "disputed");
        await accounts.recordFailure(before, { problem: "card_declined", leftMicros: 0, now: 0 });
        expect(await account()).toMatchObject({ rechargeEnabled: false, rechargeProblem: "disputed" });
      });
    });

    test("an inquiry takes no credit", async () => {
      cluster.stripe.dispute(paymentId, { inquiry: true });
      await expectLeft(20, 0);
    });
  });
}
