/** What buying credit must keep to on every database: whatever Stripe tells, and when, credit is granted once. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { BillingCluster } from "../../billing/billing-cluster.ts";

const HOUR_MS = 3_600_000;

export function topUpContract(store: string, prepare: () => Promise<BillingCluster>) {
  describe(`buying credit, ${store}`, () => {
    let cluster: BillingCluster;
    beforeEach(async () => {
      cluster = await prepare();
    });
    afterEach(() => cluster[Symbol.asyncDispose]());

    const read = (id: string) => cluster.node.billing.topUp(cluster.organizationId, id);
    /** Once, whatever else is told. */
    async function expectGranted(id: string, dollars = 20): Promise<void> {
      expect(await read(id)).toMatchObject({
        status: "succeeded",
        amountMicros: dollars * 1e6,
        problem: null,
      });
      expect(await cluster.left()).toBe(dollars);
      expect(await cluster.granted()).toBe(dollars);
    }

    test("is granted once when the events come before the browser", async () => {
      const topUp = await cluster.buy();
      expect(topUp).toMatchObject({ status: "pending", checkoutUrl: expect.stringContaining("/c/pay/") });
      expect(cluster.stripe.pay(topUp.checkoutSessionId)).toBeNull();
      await cluster.stripe.settled();
      const asked = cluster.stripe.asked.length;
      await expectGranted(topUp.id);
      expect(cluster.stripe.asked.length).toBe(asked);
      const [grant] = await cluster.node.ledger.grants(cluster.organizationId);
      expect(grant).toMatchObject({
        id: topUp.id.replace("topup_", "grant_"),
        kind: "purchase",
        topUpId: topUp.id,
        expiresAt: grant!.createdAt + 365 * 86_400,
      });
      expect((await cluster.node.ledger.credit(cluster.organizationId)).purchasedMicros).toBe(20_000_000);
      expect(await cluster.node.billing.receipt((await read(topUp.id))!)).toContain("/receipts/ch_");
    });

    test("is granted once when the browser comes before the events, and looks twice", async () => {
      cluster.stripe.hold();
      const topUp = await cluster.buy();
      expect((await read(topUp.id))!.status).toBe("pending");
      cluster.stripe.pay(topUp.checkoutSessionId);
      const asked = cluster.stripe.asked.length;
      expect((await read(topUp.id))!.status).toBe("pending"); // it was looked up in this very second
      expect(cluster.stripe.asked.length).toBe(asked);
      cluster.clock.pass(1000);
      await Promise.all([expectGranted(topUp.id), expectGranted(topUp.id)]);
      expect(await cluster.stripe.release()).not.toContain(500);
      await expectGranted(topUp.id);
    });

    test("is granted once when every event comes three times, also at once", async () => {
      const topUp = await cluster.buy();
      cluster.stripe.pay(topUp.checkoutSessionId);
      const again = cluster.stripe.events.flatMap((event) => [event, event]);
      const statuses = await Promise.all(again.map((event) => cluster.stripe.deliver(event)));
      expect(new Set(statuses)).toEqual(new Set([200]));
      await cluster.stripe.settled();
      await expectGranted(topUp.id);
      const handled = cluster.stripe.asked.length;
      for (const event of cluster.stripe.events) expect(await cluster.stripe.deliver(event)).toBe(200);
      expect(cluster.stripe.asked.length).toBe(handled);
    });

    test("is granted once when events come in the wrong order, and days late", async () => {
      cluster.stripe.hold();
      const topUp = await cluster.buy();
      cluster.stripe.pay(topUp.checkoutSessionId, "declined");
      cluster.stripe.pay(topUp.checkoutSessionId);
      cluster.clock.pass(72 * HOUR_MS);
      const statuses = await cluster.stripe.release((events) => events.toReversed());
      expect(new Set(statuses)).toEqual(new Set([200]));
      await expectGranted(topUp.id);
    });

    test("is granted without an event or a page visit", async () => {
      cluster.stripe.hold();
      const topUp = await cluster.buy();
      cluster.stripe.pay(topUp.checkoutSessionId);
      cluster.stripe.drop();
      await cluster.node.billing.sweep(); // not within its first minute
      expect(await cluster.granted()).toBe(0);
      cluster.clock.pass(61_000);
      await cluster.node.billing.sweep();
      await expectGranted(topUp.id);
    });

    describe("an event without a valid signature", () => {
      const deliver = (url: string, body: string, signature?: string) =>
        fetch(url, { method: "POST", body, headers: signature ? { "stripe-signature": signature } : {} });

      test("changes nothing, whatever its content", async () => {
        cluster.stripe.hold();
        const topUp = await cluster.buy();
        cluster.stripe.pay(topUp.checkoutSessionId);
        const { body } = cluster.stripe.events.find(({ type }) => type === "payment_intent.succeeded")!;
        const { webhookUrl } = cluster.node;
        const asked = cluster.stripe.asked.length;
        const old = Math.floor(cluster.clock.now() / 1000) - 301;
        const forgeries: [string, string?][] = [
          [body],
          [body, "t=1,v1=00"],
          [body, cluster.stripe.sign(body, "whsec_of_somebody_else")],
          [body, cluster.stripe.sign(body, undefined, old)],
          [body.replace("2000", "9000"), cluster.stripe.sign(body)],
          ["not JSON", cluster.stripe.sign("JSON")],
        ];
        for (const forgery of forgeries) {
          const response = await deliver(webhookUrl, ...forgery);
          expect(response.status).toBe(400);
          expect(await response.json()).toMatchObject({ error: { code: "invalid_signature" } });
        }
        expect(cluster.stripe.asked.length).toBe(asked);
        expect(await cluster.granted()).toBe(0);
      });

      test("is not read beyond one mebibyte", async () => {
        expect(
          (await deliver(cluster.node.webhookUrl, "x".repeat(1024 * 1024 + 1), "t=1,v1=00")).status,
        ).toBe(422);
      });
    });

    test("is retried by Stripe when an event cannot be handled", async () => {
      cluster.stripe.hold();
      const topUp = await cluster.buy();
      cluster.stripe.pay(topUp.checkoutSessionId);
      cluster.stripe.fail("GET /v1/payment_intents/*", "refused", 100);
      cluster.stripe.fail("GET /v1/checkout/sessions/*", "refused", 100);
      expect(
        new Set(
          await cluster.stripe.release((all) => all.filter(({ type }) => type.startsWith("payment_intent"))),
        ),
      ).toEqual(new Set([503]));
      expect(await cluster.granted()).toBe(0);
      cluster.stripe.fail("GET /v1/payment_intents/*", "refused", 0);
      cluster.stripe.fail("GET /v1/checkout/sessions/*", "refused", 0);
      await cluster.stripe.release();
      await expectGranted(topUp.id);
    });

    test("ignores events of unrelated objects", async () => {
      cluster.stripe.emit("invoice.paid", { id: "in_1", object: "invoice" });
      cluster.stripe.emit("payment_intent.succeeded", { id: "pi_elsewhere", object: "payment_intent" });
      cluster.stripe.emit("checkout.session.completed", {
        id: "cs_test_elsewhere",
        object: "checkout.session",
      });
      await cluster.stripe.settled();
      for (const event of cluster.stripe.events) expect(await cluster.stripe.deliver(event)).toBe(200);
    });

    test("allows an unpaid checkout to expire, and a delayed payment to succeed or fail", async () => {
      const [left, paid, unpaid] = [await cluster.buy(), await cluster.buy(), await cluster.buy()];
      cluster.stripe.pay(paid.checkoutSessionId, "delayed");
      cluster.stripe.pay(unpaid.checkoutSessionId, "delayed");
      cluster.stripe.pay(left.checkoutSessionId, "declined");
      await cluster.stripe.settled();
      for (const one of [left, paid, unpaid]) expect((await read(one.id))!.status).toBe("pending");
      cluster.clock.pass(HOUR_MS + 1000);
      const [first, second] = cluster.stripe.all<{ id: string; object: string; created: number }>(
        "payment_intent",
      );
      cluster.stripe.finish(first!.id, true);
      cluster.stripe.finish(second!.id, false);
      await cluster.stripe.settled();
      expect((await read(left.id))!.status).toBe("expired");
      expect(await read(unpaid.id)).toMatchObject({ status: "failed", problem: expect.any(String) });
      await expectGranted(paid.id);
    });

    test("creates one checkout and one customer when Stripe answers late or not at all", async () => {
      cluster.stripe.fail("POST /v1/customers", "lost");
      cluster.stripe.fail("POST /v1/checkout/sessions", "lost");
      const topUp = await cluster.buy();
      expect(cluster.stripe.all("customer").length).toBe(1);
      expect(cluster.stripe.all("checkout.session").map(({ id }) => id)).toEqual([topUp.checkoutSessionId]);
      for (let turn = 0; turn < 5; turn++) {
        cluster.stripe.fail("POST /v1/checkout/sessions", "busy"); // a purchase without a page does not count as pending
        await expect(cluster.buy()).rejects.toMatchObject({ code: "service_unavailable" });
      }
      cluster.clock.pass(HOUR_MS + 1000);
      await cluster.node.billing.sweep();
      const rows = await cluster.node.billing.topUps(cluster.organizationId);
      expect(rows.map(({ status }) => status)).toEqual(Array(6).fill("expired"));
    });

    test("creates a new customer when Stripe no longer knows the old one", async () => {
      const { query, tables } = cluster.node.database;
      await cluster.buy();
      await query.update(tables.billingAccount).set({ customerId: "cus_elsewhere", cardLast4: "4242" });
      const topUp = await cluster.buy();
      cluster.stripe.pay(topUp.checkoutSessionId);
      await cluster.stripe.settled();
      await expectGranted(topUp.id);
      const { customerId, cardLast4 } = await cluster.node.billing.account(cluster.organizationId);
      expect({ customerId, cardLast4 }).toEqual({
        customerId: cluster.stripe.all("customer").at(-1)!.id,
        cardLast4: null,
      });
    });

    test("allows five pending top-ups, and a paid one makes room", async () => {
      const asked = await Promise.allSettled(Array.from({ length: 20 }, () => cluster.buy()));
      const begun = asked.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
      const refused = asked.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
      expect([begun.length, refused.length]).toEqual([5, 15]);
      for (const one of refused)
        expect(one).toMatchObject({ code: "rate_limit_exceeded", retryAfterSeconds: 60 });
      expect(cluster.stripe.all("checkout.session").length).toBe(5);
      cluster.stripe.pay(begun[0]!.checkoutSessionId);
      await cluster.stripe.settled();
      await cluster.buy();
      await expect(cluster.buy()).rejects.toMatchObject({ code: "rate_limit_exceeded" });
      cluster.clock.pass(HOUR_MS + 1000);
      await cluster.node.billing.sweep(); // the others are not paid
      await cluster.buy();
    });

    test("does not find another organization's top-up", async () => {
      const topUp = await cluster.buy();
      expect(await cluster.node.billing.topUp("org_other", topUp.id)).toBeNull();
    });
  });
}
