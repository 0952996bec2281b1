/** Promise: on the embedded database, credit is bought, recharged and taken back exactly once. */

import { rechargeContract } from "../contract/billing/recharge.ts";
import { reclaimContract } from "../contract/billing/reclaims.ts";
import { topUpContract } from "../contract/billing/top-ups.ts";
import { openCluster } from "./billing-cluster.ts";

for (const contract of [topUpContract, rechargeContract, reclaimContract])
  contract("sqlite", () => openCluster(null));
