/** What buying credit must keep to on every database: whatever Stripe tells, and when, credit is granted once. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { Town } from "../billing/billing-cluster.ts";

const HOUR_MS = 3_600_000;

export function topUpContract(store: string, prepare: () => Promise<Town>) {
  describe(`buying credit, ${store}`, () => {
    let town: Town;
    beforeEach(async () => {
      town = await prepare();
    });
    afterEach(() => town[Symbol.asyncDispose]());

    const read = (id: string) => town.node.billing.topUp(town.organizationId, id);
    /** Once, whatever else is told. */
    async function expectGranted(id: string, dollars = 20): Promise<void> {
      expect(await read(id)).toMatchObject({
        status: "succeeded",
        amountMicros: dollars * 1e6,
        problem: null,
      });
      expect(await town.left()).toBe(dollars);
      expect(await town.granted()).toBe(dollars);
    }

    test("the events come before the browser", async () => {
      const topUp = await town.buy();
      expect(topUp).toMatchObject({ status: "pending", checkoutUrl: expect.stringContaining("/c/pay/") });
      expect(town.stripe.pay(topUp.checkoutSessionId)).toBeNull();
      await town.stripe.settled();
      const asked = town.stripe.asked.length;
      await expectGranted(topUp.id);
      expect(town.stripe.asked.length).toBe(asked);
      const [grant] = await town.node.ledger.grants(town.organizationId);
      expect(grant).toMatchObject({
        id: topUp.id.replace("topup_", "grant_"),
        kind: "purchase",
        topUpId: topUp.id,
        expiresAt: grant!.createdAt + 365 * 86_400,
      });
      expect((await town.node.ledger.credit(town.organizationId)).purchasedMicros).toBe(20_000_000);
      expect(await town.node.billing.receipt((await read(topUp.id))!)).toContain("/receipts/ch_");
    });

    test("the browser comes before the events, and looks twice", async () => {
      town.stripe.hold();
      const topUp = await town.buy();
      expect((await read(topUp.id))!.status).toBe("pending");
      town.stripe.pay(topUp.checkoutSessionId);
      const asked = town.stripe.asked.length;
      expect((await read(topUp.id))!.status).toBe("pending"); // it was looked up in this very second
      expect(town.stripe.asked.length).toBe(asked);
      town.clock.pass(1000);
      await Promise.all([expectGranted(topUp.id), expectGranted(topUp.id)]);
      expect(await town.stripe.release()).not.toContain(500);
      await expectGranted(topUp.id);
    });

    test("every event comes three times, also at once", async () => {
      const topUp = await town.buy();
      town.stripe.pay(topUp.checkoutSessionId);
      const again = town.stripe.events.flatMap((event) => [event, event]);
      const statuses = await Promise.all(again.map((event) => town.stripe.deliver(event)));
      expect(new Set(statuses)).toEqual(new Set([200]));
      await expectGranted(topUp.id);
      const handled = town.stripe.asked.length;
      for (const event of town.stripe.events) expect(await town.stripe.deliver(event)).toBe(200);
      expect(town.stripe.asked.length).toBe(handled);
    });

    test("events come in the wrong order, and days late", async () => {
      town.stripe.hold();
      const topUp = await town.buy();
      town.stripe.pay(topUp.checkoutSessionId, "declined");
      town.stripe.pay(topUp.checkoutSessionId);
      town.clock.pass(72 * HOUR_MS);
      const statuses = await town.stripe.release((events) => events.toReversed());
      expect(new Set(statuses)).toEqual(new Set([200]));
      await expectGranted(topUp.id);
    });

    test("no event ever comes, and nobody looks", async () => {
      town.stripe.hold();
      const topUp = await town.buy();
      town.stripe.pay(topUp.checkoutSessionId);
      town.stripe.drop();
      await town.node.billing.sweep(); // not within its first minute
      expect(await town.granted()).toBe(0);
      town.clock.pass(61_000);
      await town.node.billing.sweep();
      await expectGranted(topUp.id);
    });

    describe("what Stripe did not sign", () => {
      const told = (url: string, body: string, signature?: string) =>
        fetch(url, { method: "POST", body, headers: signature ? { "stripe-signature": signature } : {} });

      test("does nothing, whatever it says", async () => {
        town.stripe.hold();
        const topUp = await town.buy();
        town.stripe.pay(topUp.checkoutSessionId);
        const { body } = town.stripe.events.find(({ type }) => type === "payment_intent.succeeded")!;
        const { webhookUrl } = town.node;
        const asked = town.stripe.asked.length;
        const old = Math.floor(town.clock.now() / 1000) - 301;
        const forgeries: [string, string?][] = [
          [body],
          [body, "t=1,v1=00"],
          [body, town.stripe.sign(body, "whsec_of_somebody_else")],
          [body, town.stripe.sign(body, undefined, old)],
          [body.replace("2000", "9000"), town.stripe.sign(body)],
          ["not JSON", town.stripe.sign("JSON")],
        ];
        for (const forgery of forgeries) {
          const response = await told(webhookUrl, ...forgery);
          expect(response.status).toBe(400);
          expect(await response.json()).toMatchObject({ error: { code: "invalid_signature" } });
        }
        expect(town.stripe.asked.length).toBe(asked);
        expect(await town.granted()).toBe(0);
      });

      test("is not read beyond a mebibyte", async () => {
        expect((await told(town.node.webhookUrl, "x".repeat(1024 * 1024 + 1), "t=1,v1=00")).status).toBe(422);
      });
    });

    test("an event that cannot be handled is told again", async () => {
      town.stripe.hold();
      const topUp = await town.buy();
      town.stripe.pay(topUp.checkoutSessionId);
      town.stripe.fail("GET /v1/payment_intents/*", "refused", 100);
      town.stripe.fail("GET /v1/checkout/sessions/*", "refused", 100);
      expect(
        new Set(
          await town.stripe.release((all) => all.filter(({ type }) => type.startsWith("payment_intent"))),
        ),
      ).toEqual(new Set([503]));
      expect(await town.granted()).toBe(0);
      town.stripe.fail("GET /v1/payment_intents/*", "refused", 0);
      town.stripe.fail("GET /v1/checkout/sessions/*", "refused", 0);
      await town.stripe.release();
      await expectGranted(topUp.id);
    });

    test("events of things that are not ours are taken and forgotten", async () => {
      town.stripe.emit("invoice.paid", { id: "in_1", object: "invoice" });
      town.stripe.emit("payment_intent.succeeded", { id: "pi_elsewhere", object: "payment_intent" });
      town.stripe.emit("checkout.session.completed", { id: "cs_test_elsewhere", object: "checkout.session" });
      await town.stripe.settled();
      for (const event of town.stripe.events) expect(await town.stripe.deliver(event)).toBe(200);
    });

    test("a page that nobody pays at ends, and a payment that takes days may come or not", async () => {
      const [left, paid, unpaid] = [await town.buy(), await town.buy(), await town.buy()];
      town.stripe.pay(paid.checkoutSessionId, "delayed");
      town.stripe.pay(unpaid.checkoutSessionId, "delayed");
      town.stripe.pay(left.checkoutSessionId, "declined");
      await town.stripe.settled();
      for (const one of [left, paid, unpaid]) expect((await read(one.id))!.status).toBe("pending");
      town.clock.pass(HOUR_MS + 1000);
      const [first, second] = town.stripe.all<{ id: string; object: string; created: number }>(
        "payment_intent",
      );
      town.stripe.finish(first!.id, true);
      town.stripe.finish(second!.id, false);
      await town.stripe.settled();
      expect((await read(left.id))!.status).toBe("expired");
      expect(await read(unpaid.id)).toMatchObject({ status: "failed", problem: expect.any(String) });
      await expectGranted(paid.id);
    });

    test("Stripe answers late or not at all: the page is made once, and the customer too", async () => {
      town.stripe.fail("POST /v1/customers", "lost");
      town.stripe.fail("POST /v1/checkout/sessions", "lost");
      const topUp = await town.buy();
      expect(town.stripe.all("customer").length).toBe(1);
      expect(town.stripe.all("checkout.session").map(({ id }) => id)).toEqual([topUp.checkoutSessionId]);
      for (let turn = 0; turn < 5; turn++) {
        town.stripe.fail("POST /v1/checkout/sessions", "busy"); // what never came to a page takes nobody's place
        await expect(town.buy()).rejects.toMatchObject({ code: "service_unavailable" });
      }
      town.clock.pass(HOUR_MS + 1000);
      await town.node.billing.sweep();
      const rows = await town.node.billing.topUps(town.organizationId);
      expect(rows.map(({ status }) => status)).toEqual(Array(6).fill("expired"));
    });

    test("a customer that Stripe no longer knows is made anew", async () => {
      const { query, tables } = town.node.database;
      await town.buy();
      await query.update(tables.billingAccount).set({ customerId: "cus_elsewhere", cardLast4: "4242" });
      const topUp = await town.buy();
      town.stripe.pay(topUp.checkoutSessionId);
      await town.stripe.settled();
      await expectGranted(topUp.id);
      const { customerId, cardLast4 } = await town.node.billing.account(town.organizationId);
      expect({ customerId, cardLast4 }).toEqual({
        customerId: town.stripe.all("customer").at(-1)!.id,
        cardLast4: null,
      });
    });

    test("at most five are pending, however fast they are asked for, and one that is paid makes room", async () => {
      const asked = await Promise.allSettled(Array.from({ length: 20 }, () => town.buy()));
      const begun = asked.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
      const refused = asked.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
      expect([begun.length, refused.length]).toEqual([5, 15]);
      for (const one of refused)
        expect(one).toMatchObject({ code: "rate_limit_exceeded", retryAfterSeconds: 60 });
      expect(town.stripe.all("checkout.session").length).toBe(5);
      town.stripe.pay(begun[0]!.checkoutSessionId);
      await town.stripe.settled();
      await town.buy();
      await expect(town.buy()).rejects.toMatchObject({ code: "rate_limit_exceeded" });
      town.clock.pass(HOUR_MS + 1000);
      await town.node.billing.sweep(); // nobody paid at the others' pages
      await town.buy();
    });

    test("another organization's top-up is not there", async () => {
      const topUp = await town.buy();
      expect(await town.node.billing.topUp("org_other", topUp.id)).toBeNull();
    });
  });
}
