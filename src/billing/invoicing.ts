/**
 * Invoices of top-ups as the payment service made them, and their credit notes.
 *
 * The service has the truth: what is noted here is read from it again by every event, whatever the order.
 */
import type { Invoice, Payments } from "./payments.ts";
import type { TopUp, TopUps } from "./top-ups.ts";

export type Invoicing = ReturnType<typeof openInvoicing>;

export function openInvoicing({ payments, topUps }: { payments: Payments; topUps: TopUps }) {
  async function keep(topUp: TopUp, { id, number, pdfUrl, taxMicros }: Invoice): Promise<TopUp> {
    const notes = (await payments.creditNotes(id)).filter(({ isVoid }) => !isVoid);
    return await topUps.change(topUp.id, {
      ...{ invoiceId: id, invoiceNumber: number, invoicePdfUrl: pdfUrl, taxMicros },
      creditNotes: notes.map(({ isVoid: _, ...note }) => note),
    });
  }

  return {
    /** The top-up with its invoice, if the service has made it. */
    async find(topUp: TopUp): Promise<TopUp> {
      const { checkoutSessionId: checkoutId, paymentIntentId: paymentId } = topUp;
      if (!payments.invoices || paymentId === null) return topUp;
      const invoice = await payments.findInvoice({ checkoutId, paymentId });
      return invoice ? await keep(topUp, invoice) : topUp;
    },
    async note(invoiceId: string): Promise<void> {
      const invoice = await payments.readInvoice(invoiceId);
      const topUp = invoice?.purchase ? await topUps.read(invoice.purchase.topUpId) : null;
      if (topUp && topUp.status === "succeeded") await keep(topUp, invoice!);
    },
    /** The invoice's address, which changes in time; null without one. */
    async pdf(topUp: TopUp): Promise<string | null> {
      const known = topUp.invoiceId === null ? await this.find(topUp) : topUp;
      if (known.invoiceId === null) return null;
      const invoice = await payments.readInvoice(known.invoiceId);
      return invoice?.pdfUrl ?? known.invoicePdfUrl;
    },
  };
}
