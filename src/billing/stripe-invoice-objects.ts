/** Converts Stripe's invoices, credit notes and customers. Only the fields that are read are typed. */
import type { BillingDetails, CreditNote, Invoice } from "./payments.ts";
import { idOf, micros, purchaseOf, type Reference } from "./stripe-objects.ts";

export { purchaseOf };

type InvoiceObject = {
  id?: string;
  number: string | null;
  invoice_pdf?: string | null;
  total_taxes: { amount: number }[] | null;
  metadata: Record<string, string> | null;
};
type PaidInvoice = { payments?: { data: { payment: { payment_intent?: Reference<object> } }[] } };
type CreditNoteObject = {
  id: string;
  number: string;
  total: number;
  pdf: string;
  created: number;
  status: string;
};
type Line = string | null;
type Place = { line1: Line; line2: Line; city: Line; postal_code: Line; state: Line; country: Line };
type CustomerObject = {
  name?: string | null;
  email: string | null;
  address?: Place | null;
  invoice_settings: { custom_fields: { name: string; value: string }[] | null };
  tax_ids?: { data: { type: string; value: string }[] };
};

export const invoiceOf = ({
  id,
  number,
  invoice_pdf: pdf,
  total_taxes,
  metadata,
}: InvoiceObject): Invoice => ({
  id: id!,
  number,
  pdfUrl: pdf ?? null,
  taxMicros: micros((total_taxes ?? []).reduce((sum, { amount }) => sum + amount, 0)),
  purchase: purchaseOf(metadata ?? {}),
});

export const paymentOfInvoice = ({ payments }: PaidInvoice): string | null =>
  idOf(payments?.data[0]?.payment.payment_intent);

export const creditNoteOf = ({ id, number, total, pdf, created, status }: CreditNoteObject): CreditNote => ({
  id,
  number,
  amountMicros: micros(total),
  pdfUrl: pdf,
  createdAt: created,
  isVoid: status === "void",
});

export function detailsOf(customer: CustomerObject, purchaseOrder: string): BillingDetails {
  const { name, email, address, invoice_settings: settings, tax_ids } = customer;
  const { type, value } = tax_ids?.data[0] ?? {};
  return {
    company: name || null,
    email,
    purchaseOrder: settings.custom_fields?.find((field) => field.name === purchaseOrder)?.value ?? null,
    taxId: type === undefined || value === undefined ? null : { type, value },
    address: address ? placeOf(address) : null,
  };
}

const placeOf = ({ line1, line2, city, postal_code, state, country }: Place) => ({
  ...{ line1: line1 ?? null, line2: line2 ?? null, city: city ?? null },
  ...{ postalCode: postal_code ?? null, state: state ?? null, country: country ?? null },
});
