/** The organization API: all of its routes. */
import type { Elysia } from "elysia";
import type { Accounts } from "../../../accounts/accounts.ts";
import type { SpendAlerts } from "../../../alerts/spend-alerts.ts";
import type { Audit } from "../../../audit/audit-events.ts";
import type { AuditReads } from "../../../audit/audit-reads.ts";
import type { Clock } from "../../../clock.ts";
import type { Signatures } from "../../../identity/hmac.ts";
import type { Invitations } from "../../../identity/invitations.ts";
import type { Ledger } from "../../../ledger/ledger.ts";
import type { BodyTimeouts } from "../../middleware/body/body.ts";
import type { CallerOf } from "../../middleware/caller.ts";
import { openAdminAccess } from "./admin-access.ts";
import { adminKeyRoutes } from "./admin-api-keys.ts";
import { adminRoutes } from "./admin-route.ts";
import { auditLogRoute } from "./audit-logs.ts";
import { costsRoute } from "./costs.ts";
import { dataRetentionRoutes } from "./data-retention.ts";
import { inviteRoutes } from "./invites.ts";
import { projectCapRoutes } from "./project-caps.ts";
import { projectKeyRoutes } from "./project-keys.ts";
import { projectRoutes } from "./projects.ts";
import { requestsRoute } from "./requests.ts";
import { serviceAccountRoutes } from "./service-accounts.ts";
import { spendAlertRoutes } from "./spend-alerts.ts";
import { spendLimitRoutes } from "./spend-limit.ts";
import { usageRoutes } from "./usage.ts";
import { userRoutes } from "./users.ts";

type OrganizationDeps = {
  accounts: Accounts;
  ledger: Ledger;
  invitations: Invitations;
  spendAlerts: SpendAlerts;
  audit: Audit;
  auditReads: AuditReads;
  callerOf: CallerOf;
  signatures: Signatures;
  timeouts: BodyTimeouts;
  clock: Clock;
};

export function organizationRoutes(deps: OrganizationDeps): Elysia {
  const access = openAdminAccess(deps.accounts, deps.clock);
  return adminRoutes({ access, timeouts: deps.timeouts, callerOf: deps.callerOf }, [
    ...adminKeyRoutes(deps),
    ...usageRoutes(deps),
    costsRoute(deps),
    requestsRoute(deps),
    auditLogRoute(deps),
    ...projectRoutes(deps),
    ...projectKeyRoutes(deps),
    ...serviceAccountRoutes(deps),
    ...userRoutes(deps),
    ...inviteRoutes(deps),
    ...spendLimitRoutes(deps),
    ...spendAlertRoutes(deps),
    ...dataRetentionRoutes(deps),
    ...projectCapRoutes(deps),
  ]);
}
