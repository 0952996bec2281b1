/** Promise: on the embedded database, credit is bought, recharged and taken back exactly once. */
import { auditedPaymentsContract } from "../contract/billing/audited-payments.ts";
import { invoiceContract } from "../contract/billing/invoices.ts";
import { ownerMailContract } from "../contract/billing/owner-mail.ts";
import { rechargeContract } from "../contract/billing/recharge.ts";
import { reclaimContract } from "../contract/billing/reclaims.ts";
import { taxContract } from "../contract/billing/tax.ts";
import { topUpContract } from "../contract/billing/top-ups.ts";
import { voucherContract } from "../contract/billing/vouchers.ts";
import { openCluster } from "./billing-cluster.ts";

for (const contract of [topUpContract, rechargeContract, ownerMailContract, reclaimContract, taxContract])
  contract("sqlite", () => openCluster(null));
invoiceContract("sqlite", (settings) => openCluster(null, settings));
auditedPaymentsContract("sqlite", (settings) => openCluster(null, settings));
rechargeContract(
  "sqlite, by invoices",
  () => openCluster(null, { STRIPE_INVOICES: "1" }),
  "POST /v1/invoices/*/pay",
);
voucherContract("sqlite", () => openCluster(null));
