/** What invoices must keep to on every database: the subtotal becomes credit, once, and what Stripe made is noted. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { openBillingStores } from "../../../src/billing/billing.ts";
import type { BillingDetails } from "../../../src/billing/payments.ts";
import { reconcile } from "../../../src/billing/reconcile.ts";
import { openPayments } from "../../../src/billing/stripe.ts";
import { readConfig } from "../../../src/config/config.ts";
import { openLog } from "../../../src/log/log.ts";
import type { BillingCluster } from "../../billing/billing-cluster.ts";
import { until } from "../../until.ts";

type Thing = { id: string; object: string; created: number };
type Tax = { amount: number; taxability_reason: string };
type Made = { status: string; number: string; invoice_pdf: string; metadata: Record<string, string> };
type Invoice = Thing & Made & { total_taxes: Tax[] };

const WITH_INVOICES = { STRIPE_INVOICES: "1", STRIPE_TAX: "1", STRIPE_TAX_CODE: "txcd_10103001" };

const ADDRESS = { line1: "Unter den Linden 1", line2: null, city: "Berlin", state: null };
const DETAILS: BillingDetails = {
  company: "Acme GmbH",
  email: "invoices@acme.example",
  purchaseOrder: "PO 7",
  taxId: { type: "eu_vat", value: "DE123456789" },
  address: { ...ADDRESS, postalCode: "10117", country: "DE" },
};
const FRENCH = { type: "eu_vat", value: "FR12345678901" };
const PAY = "POST /v1/invoices/*/pay";

export function invoiceContract(
  store: string,
  prepare: (settings: Record<string, string>) => Promise<BillingCluster>,
) {
  describe(`invoices, ${store}`, () => {
    let cluster: BillingCluster;
    beforeEach(async () => {
      cluster = await prepare(WITH_INVOICES);
      cluster.stripe.tax.percent = 19;
    });
    afterEach(() => cluster[Symbol.asyncDispose]());

    const billing = () => cluster.node.billing;
    const topUps = () => billing().topUps(cluster.organizationId);
    const invoices = () => cluster.stripe.all<Invoice>("invoice");
    const owner = () => ({ organizationId: cluster.organizationId, email: "owner@example.com" });
    async function differences() {
      const payments = openPayments(readConfig(cluster.environment).stripe!);
      const { clock } = cluster;
      const shared = { ...cluster.node, payments, clock, origin: () => "http://localhost" };
      return await reconcile(openBillingStores({ ...shared, log: openLog("silent", () => {}) }), 0);
    }
    async function bought() {
      const topUp = await cluster.buy();
      cluster.stripe.pay(topUp.checkoutSessionId);
      await cluster.stripe.settled();
      return (await topUps())[0]!;
    }
    async function recharged(card: "ok" | "declinedLater" | "authentication" = "ok") {
      await billing().setDetails(owner(), DETAILS);
      await cluster.recharge(card);
      await until(async () => (await topUps())[0]?.status === (card === "ok" ? "succeeded" : "failed"));
      await cluster.stripe.settled();
      return (await topUps())[0]!;
    }
    function refund(topUpId: string, cents: number, idempotencyKey: string | null = null) {
      const { organizationId } = cluster;
      return billing().refund({ organizationId, topUpId, amountMicros: cents * 10_000, idempotencyKey });
    }

    describe("a purchase", () => {
      test("grants the subtotal and notes the invoice with its tax", async () => {
        const topUp = await bought();
        expect(topUp).toMatchObject({
          ...{ status: "succeeded", amountMicros: 20_000_000, taxMicros: 3_800_000, totalMicros: 23_800_000 },
          ...{ invoiceId: invoices()[0]!.id, invoiceNumber: invoices()[0]!.number },
          ...{ invoicePdfUrl: invoices()[0]!.invoice_pdf, creditNotes: [] },
        });
        expect([await cluster.left(), await differences()]).toEqual([20, []]);
        expect(await billing().receipt(topUp)).toBe(invoices()[0]!.invoice_pdf);
        const { params } = cluster.stripe.asked.find(({ path }) => path === "/v1/checkout/sessions")!;
        expect(params).toMatchObject({
          invoice_creation: { enabled: "true", invoice_data: { metadata: { top_up_id: topUp.id } } },
          ...{ billing_address_collection: "required", tax_id_collection: { enabled: "true" } },
          ...{ customer_update: { address: "auto", name: "auto" }, automatic_tax: { enabled: "true" } },
          line_items: [
            { price_data: { tax_behavior: "exclusive", product_data: { tax_code: "txcd_10103001" } } },
          ],
        });
      });

      test("with tax in the price grants the whole price, and says how much of it is tax", async () => {
        cluster.stripe.tax.isInclusive = true;
        const taxes = { amountMicros: 20_000_000, taxMicros: 3_190_000, totalMicros: 20_000_000 };
        expect(await bought()).toMatchObject(taxes);
        for (const event of cluster.stripe.events.toReversed()) await cluster.stripe.deliver(event);
        expect((await topUps())[0]).toMatchObject(taxes);
        expect([await cluster.left(), await differences()]).toEqual([20, []]);
      });

      test("of a business in another country has no tax, by reverse charge", async () => {
        await billing().setDetails(owner(), { ...DETAILS, taxId: FRENCH });
        expect(await bought()).toMatchObject({ taxMicros: 0, totalMicros: 20_000_000 });
        expect(invoices()[0]!.total_taxes).toMatchObject([
          { amount: 0, taxability_reason: "reverse_charge" },
        ]);
        expect(await cluster.left()).toBe(20);
      });

      test("is noted the same whatever order its events come in, and however often", async () => {
        cluster.stripe.hold();
        const { checkoutSessionId } = await cluster.buy();
        cluster.stripe.pay(checkoutSessionId);
        await cluster.stripe.release((events) => events.toReversed());
        const [topUp] = await topUps();
        expect(topUp).toMatchObject({ status: "succeeded", invoiceId: invoices()[0]!.id });
        for (const event of [...cluster.stripe.events, ...cluster.stripe.events])
          expect(await cluster.stripe.deliver(event)).toBe(200);
        expect([(await topUps())[0], await cluster.left()]).toEqual([topUp!, 20]);
      });

      test("is credited when Stripe cannot say its invoice, which the receipt then asks for", async () => {
        cluster.stripe.hold();
        const { id, checkoutSessionId } = await cluster.buy();
        cluster.stripe.pay(checkoutSessionId);
        cluster.clock.pass(61_000);
        cluster.stripe.fail("GET /v1/credit_notes", "refused", 100);
        await cluster.node.billing.sweep();
        cluster.stripe.fail("GET /v1/credit_notes", "refused", 0);
        const topUp = (await topUps())[0]!;
        expect(topUp).toMatchObject({ id, status: "succeeded", invoiceId: null, taxMicros: 3_800_000 });
        expect(await billing().receipt(topUp)).toBe(invoices()[0]!.invoice_pdf);
        expect((await topUps())[0]!.invoiceId).toBe(invoices()[0]!.id);
      });
    });

    describe("auto-recharge", () => {
      test("is an invoice that is paid at once, under the top-up's id", async () => {
        const topUp = await recharged();
        const [invoice] = invoices();
        expect(topUp).toMatchObject({
          ...{
            kind: "auto_recharge",
            amountMicros: 20_000_000,
            taxMicros: 3_800_000,
            totalMicros: 23_800_000,
          },
          ...{ invoiceId: invoice!.id, invoiceNumber: invoice!.number },
        });
        expect(invoices()).toMatchObject([{ status: "paid", metadata: { top_up_id: topUp.id } }]);
        const asked = cluster.stripe.asked.find(
          (call) => call.method === "POST" && call.path === "/v1/invoices",
        );
        expect(asked).toMatchObject({
          idempotencyKey: topUp.id,
          params: { automatic_tax: { enabled: "true" } },
        });
        expect([await cluster.left(), await differences()]).toEqual([20, []]);
      });

      for (const call of ["POST /v1/invoices", "POST /v1/invoiceitems", "POST /v1/invoices/*/finalize", PAY])
        test(`charges once when the answer to ${call} is lost`, async () => {
          cluster.stripe.fail(call, "lost");
          await recharged();
          expect(invoices()).toMatchObject([{ status: "paid" }]);
          expect(cluster.stripe.all("payment_intent")).toHaveLength(1);
          expect(await cluster.left()).toBe(20);
        });

      test("goes on where it was when Stripe was away in between", async () => {
        await billing().setDetails(owner(), DETAILS);
        cluster.stripe.fail(PAY, "refused", 100);
        await cluster.recharge();
        await until(() => invoices()[0]?.status === "open");
        cluster.stripe.fail(PAY, "refused", 0);
        cluster.clock.pass(61_000);
        await cluster.node.billing.sweep();
        expect((await topUps())[0]!.status).toBe("succeeded");
        expect(invoices()).toMatchObject([{ status: "paid" }]);
        expect(await cluster.left()).toBe(20);
      });

      test("voids the invoice of a charge that it gives up", async () => {
        await billing().setDetails(owner(), DETAILS);
        cluster.stripe.fail(PAY, "refused", 100);
        await cluster.recharge();
        await until(() => invoices()[0]?.status === "open");
        cluster.clock.pass(11 * 60_000);
        await cluster.node.billing.sweep();
        cluster.stripe.fail(PAY, "refused", 0);
        expect((await topUps()).at(-1)).toMatchObject({ status: "expired" });
        expect(invoices()[0]!.status).toBe("void");
        expect(await cluster.granted()).toBe(0);
      });

      test("that is declined voids its invoice, and counts as one failure", async () => {
        const topUp = await recharged("declinedLater");
        expect(topUp).toMatchObject({ status: "failed", problem: "card_declined", invoiceId: null });
        await until(() => invoices()[0]!.status === "void");
        for (const event of cluster.stripe.events) expect(await cluster.stripe.deliver(event)).toBe(200);
        const account = await billing().account(cluster.organizationId);
        expect(account).toMatchObject({ rechargeFailures: 1, rechargeProblem: "card_declined" });
        expect([await cluster.granted(), await differences()]).toEqual([0, []]);
      });

      test("whose card asks for its owner is told as such", async () => {
        const topUp = await recharged("authentication");
        expect(topUp).toMatchObject({ status: "failed", problem: "authentication_required" });
        await until(() => invoices()[0]!.status === "void");
        await until(() => cluster.node.mails.length > 0);
        expect(cluster.node.mails[0]!.confirm).toContain("/c/pay/");
      });

      test("without an address to tax by fails with that reason, and leaves no draft", async () => {
        await cluster.recharge();
        await until(async () => (await topUps())[0]?.status === "failed");
        expect((await topUps())[0]!.problem).toBe("customer_tax_location_invalid");
        await until(() => invoices().length === 0);
      });
    });

    describe("a refund by the operator", () => {
      test("makes a credit note and takes its share of the credit, rounded down", async () => {
        const { id } = await bought();
        expect(await refund(id, 100)).toMatchObject({ refundedMicros: 840_336 });
        await cluster.stripe.settled();
        expect(await cluster.left()).toBe(20 - 0.840336);
        expect((await topUps())[0]!.creditNotes).toMatchObject([
          { number: `${invoices()[0]!.number}-CN-01`, amountMicros: 1_000_000, pdfUrl: expect.any(String) },
        ]);
        await refund(id, 2280);
        expect((await topUps())[0]!.creditNotes).toHaveLength(2);
        expect(await cluster.left()).toBeLessThan(0.00001);
        expect(await differences()).toEqual([]);
      });

      test("is made once under one key, also when its answer is lost, and refuses the key for another amount", async () => {
        const { id } = await bought();
        cluster.stripe.fail("POST /v1/credit_notes", "lost");
        await refund(id, 100, "twice");
        await Promise.all([refund(id, 100, "twice"), refund(id, 100, "twice")]);
        await expect(refund(id, 200, "twice")).rejects.toMatchObject({ code: "idempotency_key_reused" });
        expect(cluster.stripe.all("credit_note")).toHaveLength(1);
        expect((await topUps())[0]!.refundedMicros).toBe(840_336);
      });

      test("takes the credit when the server was away after Stripe's answer", async () => {
        const { id } = await bought();
        cluster.stripe.hold();
        cluster.stripe.fail("GET /v1/payment_intents/*", "refused", 100);
        await expect(refund(id, 1190)).rejects.toMatchObject({ code: "service_unavailable" });
        cluster.stripe.fail("GET /v1/payment_intents/*", "refused", 0);
        expect(await cluster.left()).toBe(20);
        expect(await differences()).toMatchObject([{ what: "not_taken_back", expectedMicros: 10_000_000 }]);
        await cluster.stripe.release();
        expect([await cluster.left(), await differences()]).toEqual([10, []]);
        expect((await topUps())[0]!.creditNotes).toHaveLength(1);
      });

      test("is refused for more than was paid, and for what was not paid", async () => {
        const { id } = await bought();
        const tooMuch = { details: [{ field: "amount_micros", code: "out_of_range" }] };
        await expect(refund(id, 2381)).rejects.toMatchObject(tooMuch);
        const { id: pending } = await cluster.buy();
        await expect(refund(pending, 100)).rejects.toMatchObject({ code: "top_up_not_paid" });
        await expect(refund("topup_unknown", 100)).rejects.toMatchObject({ code: "not_found" });
        const other = {
          organizationId: "org_other",
          topUpId: id,
          amountMicros: 10_000,
          idempotencyKey: null,
        };
        await expect(billing().refund(other)).rejects.toMatchObject({ code: "not_found" });
        expect(await cluster.left()).toBe(20);
      });

      test("of a payment without an invoice makes none", async () => {
        const { id } = await bought();
        const { query, tables } = cluster.node.database;
        await query.update(tables.topUp).set({ invoiceId: null, totalMicros: null }); // of an earlier version
        await refund(id, 1190);
        expect(cluster.stripe.all("credit_note")).toEqual([]);
        expect(await cluster.left()).toBe(10);
      });
    });

    test("billing details are kept at Stripe, and a tax id that it refuses changes nothing", async () => {
      expect(await billing().details(cluster.organizationId)).toMatchObject({ taxId: null, address: null });
      expect(await billing().setDetails(owner(), DETAILS)).toEqual(DETAILS);
      const wrong = { ...DETAILS, company: "Other", taxId: { type: "eu_vat", value: "nonsense" } };
      const refused = { details: [{ field: "tax_id", code: "malformed" }] };
      await expect(billing().setDetails(owner(), wrong)).rejects.toMatchObject(refused);
      expect(await billing().details(cluster.organizationId)).toEqual(DETAILS);
      await billing().setDetails(owner(), { ...DETAILS, taxId: FRENCH, purchaseOrder: null, address: null });
      const changed = await billing().details(cluster.organizationId);
      expect(changed).toMatchObject({ taxId: FRENCH, purchaseOrder: null, address: null });
    });
  });
}
