/** Every route of the management API. */
import { accountRoutes } from "./account-routes.ts";
import { aliasRoutes } from "./alias-routes.ts";
import { billingRoutes } from "./billing-routes.ts";
import { operatorRoutes } from "./operator-routes.ts";
import { usageRoutes } from "./usage-routes.ts";

export const contract = {
  ...accountRoutes,
  ...usageRoutes,
  ...billingRoutes,
  ...operatorRoutes,
  ...aliasRoutes,
};

export type Contract = typeof contract;
