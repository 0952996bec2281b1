/** Records of payments: top-ups, invoices, and whom invoices are made out to. */
import Type from "typebox";
import { nullable, oneOf, Text, Whole } from "./records.ts";

export const TopUpRecord = Type.Object({
  id: Text,
  object: Type.Literal("top_up"),
  kind: oneOf("top_up", "auto_recharge"),
  status: oneOf("pending", "succeeded", "failed", "expired"),
  /** What becomes credit. */
  amount_micros: Whole,
  tax_micros: Whole,
  /** What was paid, tax included. */
  total_micros: Whole,
  refunded_micros: Whole,
  problem: nullable(Text),
  checkout_url: nullable(Text),
  created_at: Whole,
});

export const InvoiceRecord = Type.Object({
  id: Text,
  object: Type.Literal("invoice"),
  number: Text,
  kind: oneOf("top_up", "auto_recharge"),
  /** What became credit. */
  amount_micros: Whole,
  tax_micros: Whole,
  /** What was paid, tax included. */
  total_micros: Whole,
  /** Of the invoice that Stripe made, if it made one. */
  invoice_id: nullable(Text),
  invoice_number: nullable(Text),
  invoice_pdf_url: nullable(Text),
  /** Oldest first. */
  credit_notes: Type.Array(
    Type.Object({
      id: Text,
      number: Text,
      /** Tax included. */
      amount_micros: Whole,
      pdf_url: Text,
      created_at: Whole,
    }),
  ),
  refunded_micros: Whole,
  status: oneOf("paid", "refunded"),
  created_at: Whole,
  receipt_url: Text,
});

const Line = nullable(Type.String({ maxLength: 200 }));

/** Whom invoices are made out to. */
export const BillingDetailsFields = Type.Object({
  company: Line,
  /** Where Stripe sends invoices. */
  email: nullable(Type.String({ maxLength: 254 })),
  purchase_order: nullable(Type.String({ maxLength: 140 })),
  tax_id: nullable(
    Type.Object({
      /** By Stripe's types, such as `eu_vat`. */
      type: Type.String({ minLength: 1, maxLength: 30, pattern: "^[a-z0-9_]+$" }),
      value: Type.String({ minLength: 1, maxLength: 50 }),
    }),
  ),
  address: nullable(
    Type.Object({
      line1: Line,
      line2: Line,
      city: Line,
      postal_code: Line,
      state: Line,
      /** Two letters, as in ISO 3166. */
      country: nullable(Type.String({ pattern: "^[A-Z]{2}$" })),
    }),
  ),
});

export const BillingDetailsRecord = Type.Object({
  object: Type.Literal("billing_details"),
  ...BillingDetailsFields.properties,
});
