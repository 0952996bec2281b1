/** The organization API: all of its routes. */
import type { Elysia } from "elysia";
import type { Accounts } from "../../../accounts/accounts.ts";
import type { Clock } from "../../../clock.ts";
import type { Signatures } from "../../../identity/hmac.ts";
import type { Ledger } from "../../../ledger/ledger.ts";
import type { BodyTimeouts } from "../../middleware/body/body.ts";
import { openAdminAccess } from "./admin-access.ts";
import { adminKeyRoutes } from "./admin-api-keys.ts";
import { adminRoutes } from "./admin-route.ts";
import { costsRoute } from "./costs.ts";
import { projectRoutes } from "./projects.ts";
import { spendLimitRoutes } from "./spend-limit.ts";
import { usageRoutes } from "./usage.ts";

type OrganizationDeps = {
  accounts: Accounts;
  ledger: Ledger;
  signatures: Signatures;
  timeouts: BodyTimeouts;
  clock: Clock;
};

export function organizationRoutes(deps: OrganizationDeps): Elysia {
  const access = openAdminAccess(deps.accounts, deps.clock);
  return adminRoutes({ access, timeouts: deps.timeouts }, [
    ...adminKeyRoutes(deps),
    ...usageRoutes(deps),
    costsRoute(deps),
    ...projectRoutes(deps),
    ...spendLimitRoutes(deps),
  ]);
}
