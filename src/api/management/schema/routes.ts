/** Every route of the management API. */
import { accountRoutes } from "./account-routes.ts";
import { adminKeyRoutes } from "./admin-key-routes.ts";
import { alertRoutes } from "./alert-routes.ts";
import { aliasRoutes } from "./alias-routes.ts";
import { auditRoutes } from "./audit-routes.ts";
import { billingRoutes } from "./billing-routes.ts";
import { businessRoutes } from "./business-routes.ts";
import { conversationRoutes } from "./conversation-routes.ts";
import { deletionRoutes } from "./deletion-routes.ts";
import { exportRoutes } from "./export-routes.ts";
import { jobRoutes } from "./job-routes.ts";
import { operatorRoutes } from "./operator-routes.ts";
import { priceRoutes } from "./price-routes.ts";
import { pronunciationRoutes } from "./pronunciation-routes.ts";
import { serviceAccountRoutes } from "./service-account-routes.ts";
import { statementRoutes } from "./statement-routes.ts";
import { statusRoutes } from "./status-routes.ts";
import { upstreamRoutes } from "./upstream-routes.ts";
import { usageRoutes } from "./usage-routes.ts";
import { userRoutes } from "./user-routes.ts";
import { voiceRoutes } from "./voice-routes.ts";
import { voucherRoutes } from "./voucher-routes.ts";
import { webhookRoutes } from "./webhook-routes.ts";

export const contract = {
  ...accountRoutes,
  ...adminKeyRoutes,
  ...serviceAccountRoutes,
  ...usageRoutes,
  ...billingRoutes,
  ...operatorRoutes,
  ...statusRoutes,
  ...statementRoutes,
  ...businessRoutes,
  ...priceRoutes,
  ...aliasRoutes,
  ...upstreamRoutes,
  ...conversationRoutes,
  ...pronunciationRoutes,
  ...voiceRoutes,
  ...voucherRoutes,
  ...userRoutes,
  ...webhookRoutes,
  ...deletionRoutes,
  ...alertRoutes,
  ...jobRoutes,
  ...exportRoutes,
  ...auditRoutes,
};

export type Contract = typeof contract;
