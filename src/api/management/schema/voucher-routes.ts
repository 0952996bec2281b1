/** Routes of voucher codes: operators make them, organizations redeem them. */
import Type from "typebox";
import { GrantRecord, listOf, nullable, oneOf, Text, Whole } from "./records.ts";
import type { Routes } from "./route.ts";

const VoucherRecord = Type.Object({
  id: Text,
  object: Type.Literal("voucher"),
  amount_micros: Whole,
  status: oneOf("unused", "redeemed", "void", "expired"),
  /** How long it can be redeemed, and how long its credit lasts from then on; null: forever. */
  days: nullable(Whole),
  created_at: Whole,
  expires_at: nullable(Whole),
  /** The organization. */
  redeemed_by: nullable(Text),
  redeemed_at: nullable(Whole),
  voided_at: nullable(Whole),
});

export const voucherRoutes = {
  "POST /api/organizations/:organization/billing/codes": {
    summary:
      "Redeem a voucher code for credit; again for the same organization it changes nothing. 10 tries an hour",
    needs: "owner",
    status: 201,
    body: Type.Object({ code: Type.String({ minLength: 1, maxLength: 64 }) }),
    reply: GrantRecord,
  },
  "GET /api/operator/codes": {
    summary: "List voucher codes, newest first, without the codes themselves",
    needs: "operator",
    reply: listOf(VoucherRecord),
  },
  "POST /api/operator/codes": {
    summary: "Create voucher codes; the only time that they are seen",
    needs: "operator",
    confirms: true,
    status: 201,
    body: Type.Object({
      amount_micros: Type.Integer({ minimum: 10_000, maximum: 1_000_000_000, multipleOf: 10_000 }),
      count: Type.Integer({ minimum: 1, maximum: 1000 }),
      days: Type.Optional(nullable(Type.Integer({ minimum: 1, maximum: 36_500 }))),
    }),
    reply: listOf(Type.Object({ ...VoucherRecord.properties, code: Text })),
  },
  "POST /api/operator/codes/:code/void": {
    summary: "Void a voucher code that was not redeemed",
    needs: "operator",
    reply: VoucherRecord,
  },
} as const satisfies Routes;
