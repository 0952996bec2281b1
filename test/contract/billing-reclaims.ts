/** What refunds and disputes must keep to on every database: credit goes back once, whatever was spent of it. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { openBillingAccounts } from "../../src/billing/billing-accounts.ts";
import { tierOf } from "../../src/limits/limits.ts";
import { type Town, until } from "../billing/billing-cluster.ts";

export function reclaimContract(store: string, prepare: () => Promise<Town>) {
  describe(`money that goes back, ${store}`, () => {
    let town: Town;
    let topUpId: string;
    let paymentId: string;
    beforeEach(async () => {
      town = await prepare();
      const topUp = await town.buy();
      topUpId = topUp.id;
      town.stripe.pay(topUp.checkoutSessionId);
      await town.stripe.settled();
      paymentId = (await read())!.paymentIntentId!;
    });
    afterEach(() => town[Symbol.asyncDispose]());

    const read = () => town.node.billing.topUp(town.organizationId, topUpId);
    const tier = async () => tierOf((await town.node.ledger.credit(town.organizationId)).purchasedMicros);
    /** What is left and was refunded, in dollars, however often everything is told again. */
    async function expectLeft(left: number, refunded: number): Promise<void> {
      await town.stripe.settled();
      for (const event of town.stripe.events) expect(await town.stripe.deliver(event)).toBe(200);
      expect(await town.left()).toBe(left);
      expect((await read())!.refundedMicros).toBe(refunded * 1e6);
    }

    test("a part of it, then the rest", async () => {
      expect(await tier()).toBe("paid");
      town.stripe.refund(paymentId, { cents: 500 });
      await expectLeft(15, 5);
      expect(await tier()).toBe("paid");
      town.stripe.refund(paymentId);
      await expectLeft(0, 20);
      expect(await tier()).toBe("free");
    });

    test("all of it after most was spent leaves an overdraft, which the next top-up pays", async () => {
      await town.spend(18);
      town.stripe.refund(paymentId);
      await expectLeft(-18, 20);
      const next = await town.buy(50);
      town.stripe.pay(next.checkoutSessionId);
      await expectLeft(32, 20);
    });

    test("heard of before the payment, in the wrong order", async () => {
      town.stripe.hold();
      const topUp = await town.buy(100);
      town.stripe.pay(topUp.checkoutSessionId);
      const { id } = town.stripe.all("payment_intent").at(-1)!;
      town.stripe.refund(id, { cents: 2500 });
      await town.stripe.release((all) => all.toReversed());
      await expectLeft(20 + 75, 0);
      expect(await town.node.billing.topUp(town.organizationId, topUp.id)).toMatchObject({
        status: "succeeded",
        refundedMicros: 25_000_000,
      });
    });

    test("a refund counts when it has succeeded, and comes back when it failed after that", async () => {
      const refund = town.stripe.refund(paymentId, { status: "pending" });
      await expectLeft(20, 0);
      town.stripe.changeRefund(refund.id, "succeeded");
      await expectLeft(0, 20);
      town.stripe.changeRefund(refund.id, "failed");
      await expectLeft(20, 0);
      const other = town.stripe.refund(paymentId, { status: "pending" });
      town.stripe.changeRefund(other.id, "failed");
      await expectLeft(20, 0);
      expect(await town.granted()).toBe(40);
    });

    test("a dispute takes it all; lost, it stays taken", async () => {
      await town.spend(5);
      const dispute = town.stripe.dispute(paymentId);
      await expectLeft(-5, 20);
      expect(await tier()).toBe("free");
      town.stripe.closeDispute(dispute.id, "lost");
      await expectLeft(-5, 20);
    });

    test("a dispute that is won gives it back once, in whatever order that is heard", async () => {
      town.stripe.hold();
      const dispute = town.stripe.dispute(paymentId);
      town.stripe.closeDispute(dispute.id, "won");
      await town.stripe.release((all) => all.toReversed());
      await expectLeft(20, 0);
      expect(await town.node.ledger.grants(town.organizationId)).toHaveLength(2);
      expect(await tier()).toBe("paid");
    });

    describe("auto-recharge", () => {
      const account = () => town.node.billing.account(town.organizationId);
      const charges = () => town.stripe.all("payment_intent").length;
      const sweep = async () => {
        town.clock.pass(61_000);
        await town.node.billing.sweep();
      };

      test.each(["refunded", "disputed"] as const)(
        "a payment that is %s switches it off, and no card is charged for that until an owner switches it on",
        async (why) => {
          await town.recharge(); // what was bought is enough: nothing is charged
          await town.spend(18);
          await until(() => charges() === 2);
          await until(async () => (await town.left()) === 20);
          if (why === "refunded") town.stripe.refund(paymentId);
          else town.stripe.dispute(paymentId);
          await town.stripe.settled();
          expect(await town.left()).toBe(0);
          for (let turn = 0; turn < 3; turn++) await sweep();
          await town.spend(1);
          await sweep();
          expect(charges()).toBe(2);
          expect(await account()).toMatchObject({ rechargeEnabled: false, rechargeProblem: why });
          expect(town.node.stopped).toEqual([[town.organizationId, why]]);
          const amounts = { thresholdMicros: 5e6, targetMicros: 20e6 };
          await town.node.billing.setRecharge(town.organizationId, { enabled: true, ...amounts });
          await until(() => charges() === 3);
          await until(async () => (await town.left()) === 20);
          for (const event of town.stripe.events) await town.stripe.deliver(event); // what is told again changes nothing
          expect(await account()).toMatchObject({ rechargeEnabled: true, rechargeProblem: null });
        },
      );

      test("a charge that fails at the same time does not switch it on again", async () => {
        await town.recharge("declinedLater");
        const { database } = town.node;
        const accounts = openBillingAccounts(database);
        const before = await town.buy();
        await accounts.stopRecharge(town.organizationId, "disputed");
        await accounts.troubled(before, "card_declined", 0);
        expect(await account()).toMatchObject({ rechargeEnabled: false, rechargeProblem: "disputed" });
      });
    });

    test("an inquiry takes nothing", async () => {
      town.stripe.dispute(paymentId, { inquiry: true });
      await expectLeft(20, 0);
    });
  });
}
