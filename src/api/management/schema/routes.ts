/** Every route of the management API. */
import { accountRoutes } from "./account-routes.ts";
import { adminKeyRoutes } from "./admin-key-routes.ts";
import { aliasRoutes } from "./alias-routes.ts";
import { billingRoutes } from "./billing-routes.ts";
import { conversationRoutes } from "./conversation-routes.ts";
import { operatorRoutes } from "./operator-routes.ts";
import { pronunciationRoutes } from "./pronunciation-routes.ts";
import { upstreamRoutes } from "./upstream-routes.ts";
import { usageRoutes } from "./usage-routes.ts";
import { voiceRoutes } from "./voice-routes.ts";

export const contract = {
  ...accountRoutes,
  ...adminKeyRoutes,
  ...usageRoutes,
  ...billingRoutes,
  ...operatorRoutes,
  ...aliasRoutes,
  ...upstreamRoutes,
  ...conversationRoutes,
  ...pronunciationRoutes,
  ...voiceRoutes,
};

export type Contract = typeof contract;
