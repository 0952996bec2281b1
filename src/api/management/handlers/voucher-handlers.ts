/** Handlers of voucher codes. */

import { voucherRecord } from "../../../billing/voucher-record.ts";
import type { Voucher } from "../../../billing/vouchers.ts";
import { unixSeconds } from "../../../clock.ts";
import { grantRecord } from "../../../ledger/booking/grant-record.ts";
import type { voucherRoutes } from "../schema/voucher-routes.ts";
import { type Handlers, listed, type Reads } from "./handler.ts";

export function voucherHandlers({
  vouchers,
  ledger,
  clock,
  log,
}: Reads<"vouchers" | "ledger" | "clock" | "log">): Handlers<typeof voucherRoutes> {
  const now = () => unixSeconds(clock);
  const record = (voucher: Voucher) => voucherRecord(voucher, now());
  return {
    "POST /api/organizations/:organization/billing/codes": async ({ organizationId, body }) => {
      const grant = await vouchers.redeem(organizationId, body.code);
      return grantRecord(grant, { now: now(), reversals: await ledger.reversals(organizationId) });
    },
    "GET /api/operator/codes": async () => listed((await vouchers.list()).map(record)),
    "POST /api/operator/codes": async ({ session, body }) => {
      const { amount_micros: amountMicros, count, days = null } = body;
      const made = await vouchers.create({ amountMicros, count, days, createdBy: session.user.id });
      log.info("codes_created", { count, amountMicros, by: session.user.id });
      return listed(made.map(({ code, ...voucher }) => ({ ...record(voucher), code })));
    },
    "POST /api/operator/codes/:code/void": async ({ session, ids }) => {
      const voucher = await vouchers.void(ids.code);
      log.info("code_voided", { codeId: ids.code, by: session.user.id });
      return record(voucher);
    },
  };
}
