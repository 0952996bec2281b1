/** What auto-recharge must keep to on every database: one charge in flight, none without need, none forgotten. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { type BillingCluster, DOLLAR } from "../../billing/billing-cluster.ts";
import { until } from "../../until.ts";

const MINUTE_MS = 60_000;

type Intent = {
  id: string;
  object: string;
  created: number;
  status: string;
  last_payment_error: object | null;
};

/** `charge`: the call that moves the money. */
export function rechargeContract(
  store: string,
  prepare: () => Promise<BillingCluster>,
  charge = "POST /v1/payment_intents",
) {
  describe(`auto-recharge, ${store}`, () => {
    let cluster: BillingCluster;
    beforeEach(async () => {
      cluster = await prepare();
    });
    afterEach(() => cluster[Symbol.asyncDispose]());

    const account = () => cluster.node.billing.account(cluster.organizationId);
    const topUps = () => cluster.node.billing.topUps(cluster.organizationId);
    /** Those that a card was tried for. */
    const payments = () =>
      cluster.stripe
        .all<Intent>("payment_intent")
        .filter(({ status, last_payment_error: error }) => error || /succeeded|processing/.test(status));
    const set = (settings: { enabled: boolean; thresholdMicros: number; targetMicros: number }) =>
      cluster.node.billing.setRecharge(cluster.organizationId, settings);
    /** Until nothing is pending, some time after `count` were begun. */
    const settled = (count: number) =>
      until(async () => {
        const all = await topUps();
        return all.length === count && all.every(({ status }) => status !== "pending");
      });

    test("charges up to the target when the balance falls below the threshold", async () => {
      await cluster.recharge();
      await settled(1);
      expect(await cluster.left()).toBe(20);
      expect((await topUps())[0]).toMatchObject({ kind: "auto_recharge", amountMicros: 20 * DOLLAR });
      await cluster.spend(15); // just at the threshold
      await cluster.spend(0.001234);
      await settled(2);
      expect((await topUps())[0]!.amountMicros).toBe(15_010_000); // a cent more than what is missing
      expect(await cluster.left()).toBe(20.008766);
      await cluster.stripe.settled();
      for (const event of cluster.stripe.events) expect(await cluster.stripe.deliver(event)).toBe(200);
      expect(await cluster.left()).toBe(20.008766);
    });

    test("cards, settings and top-ups leave events with their change, and what stays as it is leaves none", async () => {
      const { organizationId, node } = cluster;
      await cluster.recharge();
      await set({ enabled: true, thresholdMicros: 5 * DOLLAR, targetMicros: 20 * DOLLAR });
      await set({ enabled: false, thresholdMicros: 5 * DOLLAR, targetMicros: 30 * DOLLAR });
      const { id } = await cluster.buy();
      await node.billing.forgetCard(organizationId);
      await node.billing.forgetCard(organizationId);
      const { query, tables } = node.database;
      const events = (await query.select().from(tables.auditEvent)).filter(({ type }) =>
        type.startsWith("billing."),
      );
      const told = events.map(({ type, resourceId, changes }) => [type, resourceId, JSON.parse(changes)]);
      const field = (name: string, before: unknown, after: unknown) => ({ field: name, before, after });
      const card = expect.stringMatching(/^pm_/);
      const settings = "billing.auto_recharge.updated";
      expect(told).toHaveLength(5);
      expect(told).toEqual(
        expect.arrayContaining([
          ["billing.card.added", card, [field("brand", null, "visa"), field("last4", null, "4242")]],
          [settings, organizationId, [field("enabled", false, true), field("target_micros", 25e6, 20e6)]],
          [settings, organizationId, [field("enabled", true, false), field("target_micros", 20e6, 30e6)]],
          ["billing.top_up", id, [field("amount_micros", null, expect.any(Number))]],
          ["billing.card.removed", card, [field("brand", "visa", null), field("last4", "4242", null)]],
        ]),
      );
    });

    test("also charges the overdraft, but at most a thousand dollars at once", async () => {
      await cluster.recharge();
      await settled(1);
      await cluster.spend(2020);
      await settled(2);
      for (const count of [3, 4]) {
        cluster.clock.pass(MINUTE_MS);
        await cluster.node.billing.sweep();
        await settled(count);
      }
      const amounts = (await topUps()).map(({ amountMicros }) => amountMicros / DOLLAR);
      expect(amounts).toEqual([20, 1000, 1000, 20]);
      expect(await cluster.left()).toBe(20);
    });

    test("charges nothing while the organization is suspended", async () => {
      await cluster.recharge();
      await settled(1);
      await cluster.node.accounts.setStatus(cluster.organizationId, "suspended");
      await cluster.spend(16); // by a request in flight
      await cluster.node.billing.sweep();
      expect([payments().length, await cluster.left()]).toEqual([1, 4]);
      await cluster.node.accounts.setStatus(cluster.organizationId, "active");
      await cluster.node.billing.sweep();
      await settled(2);
    });

    test("charges nothing while nothing is deducted from the organization", async () => {
      await cluster.recharge();
      await settled(1);
      await cluster.node.accounts.setPlan(cluster.organizationId, "unmetered");
      await cluster.spend(16); // by a request that was admitted before
      await cluster.node.billing.sweep();
      expect([payments().length, await cluster.left()]).toEqual([1, 4]);
      await cluster.node.accounts.setPlan(cluster.organizationId, "prepaid");
      await cluster.node.billing.sweep();
      await settled(2);
    });

    test("makes one charge for a hundred usage charges at once", async () => {
      await cluster.recharge();
      await settled(1);
      await cluster.spend(16);
      for (let turn = 0; turn < 100; turn++) cluster.node.billing.charged(cluster.organizationId);
      await settled(2);
      await cluster.node.billing.sweep();
      expect(payments().length).toBe(2);
    });

    test("needs a card, and five dollars between threshold and target", async () => {
      const settings = { enabled: true, thresholdMicros: 5 * DOLLAR, targetMicros: 10 * DOLLAR };
      await expect(set(settings)).rejects.toMatchObject({ code: "no_payment_method" });
      await expect(set({ ...settings, targetMicros: 9_990_000 })).rejects.toMatchObject({
        code: "validation_error",
        param: "target_micros",
      });
      expect(await set({ ...settings, enabled: false })).toMatchObject({ rechargeTargetMicros: 10 * DOLLAR });
    });

    test.each([
      ["declinedLater", "card_declined"],
      ["authentication", "authentication_required"],
    ] as const)(
      "pauses after a card that is %s with a mail, and is switched off after the third",
      async (card, problem) => {
        await cluster.recharge(card);
        await settled(1);
        expect((await topUps())[0]).toMatchObject({ status: "failed", problem });
        for (const failures of [1, 2]) {
          const troubled = { rechargeFailures: failures, rechargeProblem: problem, rechargeEnabled: true };
          await until(async () => (await account()).rechargeFailures === failures);
          expect(await account()).toMatchObject(troubled);
          await cluster.spend(0.01);
          cluster.clock.pass(14 * MINUTE_MS);
          await cluster.node.billing.sweep();
          expect(payments().length).toBe(failures); // not within a quarter of an hour
          cluster.clock.pass(MINUTE_MS);
          await cluster.node.billing.sweep();
        }
        expect(await account()).toMatchObject({ rechargeFailures: 3, rechargeEnabled: false });
        cluster.clock.pass(60 * MINUTE_MS);
        await cluster.node.billing.sweep();
        expect(payments().length).toBe(3);
        expect(await cluster.granted()).toBe(0);
        await cluster.recharge(); // another card
        await until(async () => (await cluster.granted()) > 0);
        expect(await cluster.left()).toBe(20);
        expect(await account()).toMatchObject({
          rechargeFailures: 0,
          rechargeProblem: null,
          cardLast4: "4242",
        });
      },
    );

    test("retries a charge with a lost response under the same id, and finds it", async () => {
      await cluster.recharge();
      await settled(1);
      cluster.stripe.hold();
      cluster.stripe.fail(charge, "lost");
      await cluster.spend(16);
      await settled(2);
      expect(payments().length).toBe(2);
      cluster.stripe.fail(charge, "lost", 3); // as often as it is tried
      await cluster.spend(16);
      await until(() =>
        cluster.node.logged.some((line) => line.includes("reconcile_failed") && line.includes("a recharge")),
      );
      expect((await topUps())[0]!.status).toBe("pending");
      cluster.clock.pass(MINUTE_MS);
      await cluster.node.billing.sweep();
      await settled(3);
      expect(await cluster.left()).toBe(20);
      await cluster.stripe.release();
      expect(await cluster.granted()).toBe(20 + 16 + 16);
      expect(payments().length).toBe(3);
    });

    test("makes a charge that was not made once, or drops it if it is no longer needed", async () => {
      await cluster.recharge();
      await settled(1);
      cluster.stripe.fail(charge, "busy");
      await cluster.spend(16);
      await until(() =>
        cluster.node.logged.some((line) => line.includes("reconcile_failed") && line.includes("a recharge")),
      );
      expect(payments().length).toBe(1);
      cluster.clock.pass(MINUTE_MS);
      await cluster.node.billing.sweep();
      await settled(2);
      expect(await cluster.left()).toBe(20);
      cluster.stripe.fail(charge, "busy");
      cluster.node.logged.length = 0;
      await cluster.spend(16);
      await until(() =>
        cluster.node.logged.some((line) => line.includes("reconcile_failed") && line.includes("a recharge")),
      );
      await set({ enabled: false, thresholdMicros: 5 * DOLLAR, targetMicros: 20 * DOLLAR });
      cluster.clock.pass(MINUTE_MS);
      await cluster.node.billing.sweep();
      expect((await topUps())[0]!.status).toBe("pending"); // it may still be on its way
      cluster.clock.pass(10 * MINUTE_MS);
      await cluster.node.billing.sweep();
      expect((await topUps())[0]!.status).toBe("expired");
      expect(payments().length).toBe(2);
    });

    test("makes no further charge while one is pending for days", async () => {
      await cluster.recharge("delayed");
      await until(() => payments().length === 1);
      await until(async () => (await topUps())[0]!.paymentIntentId !== null);
      cluster.clock.pass(24 * 60 * MINUTE_MS);
      await cluster.node.billing.sweep();
      expect((await topUps()).map(({ status }) => status)).toEqual(["pending"]);
      cluster.stripe.finish(payments()[0]!.id, true);
      await cluster.stripe.settled();
      expect(await cluster.left()).toBe(20);
    });

    test("detaches a removed card at Stripe, and never charges it again", async () => {
      await cluster.recharge();
      await settled(1);
      const { paymentMethodId } = await account();
      await cluster.node.billing.forgetCard(cluster.organizationId);
      expect(
        cluster.stripe.all<{ id: string; object: string; created: number }>("payment_method"),
      ).toMatchObject([{ id: paymentMethodId, customer: null }]);
      expect(await account()).toMatchObject({
        paymentMethodId: null,
        cardLast4: null,
        rechargeEnabled: false,
      });
      for (const event of cluster.stripe.events) await cluster.stripe.deliver(event); // also that it was once saved
      await cluster.spend(19);
      await cluster.node.billing.sweep();
      expect(payments().length).toBe(1);
      expect((await account()).paymentMethodId).toBeNull();
    });

    test("takes a card from the browser or the event, and keeps the newer of two", async () => {
      const email = "owner@example.com";
      const { organizationId } = cluster;
      cluster.stripe.hold();
      const { url } = await cluster.node.billing.startCardSetup({ organizationId, email });
      const second = await cluster.node.billing.startCardSetup({ organizationId, email });
      const page = (address: string) => address.split("/").at(-1)!;
      expect(cluster.stripe.pay(page(url), "declined")).toBe("card_declined");
      expect(cluster.stripe.pay(page(url), "declinedLater")).toBeNull();
      cluster.clock.pass(1000);
      expect(cluster.stripe.pay(page(second.url))).toBeNull();
      expect(await account()).toMatchObject({ cardBrand: "visa", cardLast4: "4242", cardExpYear: 2034 });
      await cluster.stripe.release();
      expect((await account()).cardLast4).toBe("4242");
      const cards = cluster.stripe.all<{ id: string; object: string; created: number; customer?: string }>(
        "payment_method",
      );
      expect(cards.filter(({ customer }) => customer !== null).length).toBe(1);
    });
  });
}
