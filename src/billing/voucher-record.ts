/** A voucher as the management API and the command line show it. Pure. */
import type { Voucher } from "./vouchers.ts";

const statusOf = ({ redeemedBy, voidedAt, expiresAt }: Voucher, now: number) => {
  if (redeemedBy !== null) return "redeemed" as const;
  if (voidedAt !== null) return "void" as const;
  return expiresAt !== null && expiresAt <= now ? ("expired" as const) : ("unused" as const);
};

export const voucherRecord = (voucher: Voucher, now: number) => ({
  id: voucher.id,
  object: "voucher" as const,
  amount_micros: voucher.amountMicros,
  status: statusOf(voucher, now),
  days: voucher.days,
  created_at: voucher.createdAt,
  expires_at: voucher.expiresAt,
  redeemed_by: voucher.redeemedBy,
  redeemed_at: voucher.redeemedAt,
  voided_at: voucher.voidedAt,
});
