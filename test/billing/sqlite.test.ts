/** Promise: on the embedded database, credit is bought, recharged and taken back exactly once. */

import { ownerMailContract } from "../contract/billing/owner-mail.ts";
import { rechargeContract } from "../contract/billing/recharge.ts";
import { reclaimContract } from "../contract/billing/reclaims.ts";
import { taxContract } from "../contract/billing/tax.ts";
import { topUpContract } from "../contract/billing/top-ups.ts";
import { openCluster } from "./billing-cluster.ts";

for (const contract of [topUpContract, rechargeContract, ownerMailContract, reclaimContract, taxContract])
  contract("sqlite", () => openCluster(null));
