/** Handlers of invoices and billing details, and the records of top-ups. */
import type { BillingDetails } from "../../../billing/payments.ts";
import type { TopUp } from "../../../billing/top-ups.ts";
import type { billingRoutes } from "../schema/billing-routes.ts";
import { type Handlers, listed, notFound, type Reads } from "./handler.ts";

const CENT_MICROS = 10_000;

export function invoiceHandlers({ billing, address }: Reads<"billing" | "address">) {
  async function invoiced(organizationId: string, invoiceId: string): Promise<TopUp> {
    const topUp = await billing.topUp(organizationId, invoiceId.replace(/^invc_/, "topup_"));
    if (topUp?.status !== "succeeded" || invoiceIdOf(topUp) !== invoiceId) throw notFound("invoice");
    return topUp;
  }

  return {
    "GET /api/organizations/:organization/billing/invoices": async ({ organizationId }) => {
      const paid = (await billing.topUps(organizationId)).filter(({ status }) => status === "succeeded");
      return listed(paid.map((topUp) => invoiceRecord(topUp, address.origin())));
    },
    "GET /api/organizations/:organization/billing/invoices/:invoice": async ({ organizationId, ids }) =>
      invoiceRecord(await invoiced(organizationId, ids.invoice), address.origin()),
    "GET /api/organizations/:organization/billing/invoices/:invoice/receipt": async ({
      organizationId,
      ids,
    }) => {
      const url = await billing.receipt(await invoiced(organizationId, ids.invoice));
      if (url === null) throw notFound("receipt");
      return { url };
    },
    "GET /api/organizations/:organization/billing/details": async ({ organizationId }) =>
      detailsRecord(await billing.details(organizationId)),
    "PUT /api/organizations/:organization/billing/details": async ({ organizationId, session, body }) => {
      const { purchase_order: purchaseOrder, tax_id: taxId, address: place, ...rest } = body;
      const { postal_code: postalCode = null, ...lines } = place ?? {};
      const address = place && { ...(lines as Omit<typeof place, "postal_code">), postalCode };
      const owner = { organizationId, email: session.user.email };
      return detailsRecord(await billing.setDetails(owner, { ...rest, purchaseOrder, taxId, address }));
    },
  } satisfies Partial<Handlers<typeof billingRoutes>>;
}

/** Before it is paid, without tax. */
const totalOf = ({ totalMicros, amountMicros, taxMicros }: TopUp) => totalMicros ?? amountMicros + taxMicros;

export const topUpRecord = (topUp: TopUp) => ({
  id: topUp.id,
  object: "top_up" as const,
  kind: topUp.kind,
  status: topUp.status,
  amount_micros: topUp.amountMicros,
  tax_micros: topUp.taxMicros,
  total_micros: totalOf(topUp),
  refunded_micros: topUp.refundedMicros,
  problem: topUp.problem,
  checkout_url: topUp.status === "pending" ? topUp.checkoutUrl : null,
  created_at: topUp.createdAt,
});

const invoiceIdOf = ({ id }: TopUp) => id.replace(/^topup_/, "invc_");

/** The invoice of a paid top-up. Without one of Stripe, its number is the year and the end of its id. */
function invoiceRecord(topUp: TopUp, origin: string) {
  const paidAt = topUp.settledAt ?? topUp.createdAt;
  const id = invoiceIdOf(topUp);
  const path = `/api/organizations/${topUp.organizationId}/billing/invoices/${id}/receipt`;
  const isRefunded = topUp.amountMicros - topUp.refundedMicros < CENT_MICROS; // shares of parts are rounded down
  return {
    id,
    object: "invoice" as const,
    number:
      topUp.invoiceNumber ?? `${new Date(paidAt * 1000).getUTCFullYear()}-${id.slice(-10).toUpperCase()}`,
    kind: topUp.kind,
    amount_micros: topUp.amountMicros,
    tax_micros: topUp.taxMicros,
    total_micros: totalOf(topUp),
    invoice_id: topUp.invoiceId,
    invoice_number: topUp.invoiceNumber,
    invoice_pdf_url: topUp.invoicePdfUrl,
    credit_notes: (topUp.creditNotes ?? []).map((note) => ({
      ...{ id: note.id, number: note.number, amount_micros: note.amountMicros },
      ...{ pdf_url: note.pdfUrl, created_at: note.createdAt },
    })),
    refunded_micros: topUp.refundedMicros,
    status: isRefunded ? ("refunded" as const) : ("paid" as const),
    created_at: paidAt,
    receipt_url: `${origin}${path}`,
  };
}

const detailsRecord = ({ purchaseOrder, taxId, address, ...rest }: BillingDetails) => {
  const { postalCode = null, ...lines } = address ?? {};
  return {
    object: "billing_details" as const,
    ...rest,
    purchase_order: purchaseOrder,
    tax_id: taxId,
    address: address && { ...(lines as Omit<typeof address, "postalCode">), postal_code: postalCode },
  };
};
