/** What the audit log tells of what is kept at Stripe on every database: who changed billing details, and who refunded a payment. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { actingAs } from "../../../src/audit/actor.ts";
import type { BillingDetails } from "../../../src/billing/payments.ts";
import type { BillingCluster } from "../../billing/billing-cluster.ts";

const DETAILS: BillingDetails = {
  ...{ company: "Ada Incorporated", email: "invoices@example.com", purchaseOrder: "PO 7" },
  ...{ taxId: { type: "eu_vat", value: "DE123456789" }, address: null },
};
const ADA = { type: "operator", id: "user_ada", email: null, address: null, userAgent: null } as const;

export function auditedPaymentsContract(
  store: string,
  prepare: (settings: Record<string, string>) => Promise<BillingCluster>,
) {
  describe(`the audit log of payments, ${store}`, () => {
    let cluster: BillingCluster;
    beforeEach(async () => {
      cluster = await prepare({ STRIPE_INVOICES: "1", STRIPE_TAX: "1", STRIPE_TAX_CODE: "txcd_10103001" });
    });
    afterEach(() => cluster[Symbol.asyncDispose]());

    const billing = () => cluster.node.billing;
    /** What was changed, and the fields with their new values. */
    const told = async (type: string) => {
      const { query, tables } = cluster.node.database;
      const rows = (await query.select().from(tables.auditEvent)).filter((row) => row.type === type);
      return rows.map(({ resourceId, actorId, changes }) => [
        ...[resourceId, actorId],
        (JSON.parse(changes) as { field: string; after: unknown }[]).map(({ field, after }) => [
          field,
          after,
        ]),
      ]);
    };
    async function bought() {
      const topUp = await cluster.buy();
      cluster.stripe.pay(topUp.checkoutSessionId);
      await cluster.stripe.settled();
      return topUp.id;
    }
    const refund = (topUpId: string) => {
      const { organizationId } = cluster;
      const asked = { organizationId, topUpId, amountMicros: 1_000_000, idempotencyKey: null };
      return actingAs(ADA, () => billing().refund(asked));
    };

    test("a refund is told of, also where taking its credit back fails; a refused one is not", async () => {
      const id = await bought();
      const { ledger } = cluster.node;
      const { reverse } = ledger;
      ledger.reverse = () => Promise.reject(new Error("the ledger does not answer"));
      await expect(refund(id)).rejects.toThrow("the ledger does not answer");
      ledger.reverse = reverse;
      expect(await told("billing.refunded")).toEqual([[id, "user_ada", [["amount_micros", 1_000_000]]]]);
      await expect(refund("topup_unknown")).rejects.toMatchObject({ code: "not_found" });
      expect(await told("billing.refunded")).toHaveLength(1);
    });

    test("billing details are told of by the fields that differ, without the address; refused ones are not", async () => {
      const { organizationId } = cluster;
      const owner = { organizationId, email: "owner@example.com" };
      const set = (details: BillingDetails) => actingAs(ADA, () => billing().setDetails(owner, details));
      await set({ ...DETAILS, taxId: null, purchaseOrder: null });
      expect(await told("billing.details.updated")).toEqual([
        [
          ...[organizationId, "user_ada"],
          [
            ["company", DETAILS.company],
            ["email", DETAILS.email],
          ],
        ],
      ]);
      await expect(set({ ...DETAILS, taxId: { type: "eu_vat", value: "nonsense" } })).rejects.toThrow();
      expect(await told("billing.details.updated")).toHaveLength(1);
      await set(DETAILS);
      expect(await told("billing.details.updated")).toContainEqual([
        ...[organizationId, "user_ada"],
        [
          ["purchase_order", "PO 7"],
          ["tax_id", "DE123456789"],
        ],
      ]);
    });
  });
}
