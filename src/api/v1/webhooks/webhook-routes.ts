/** The routes of outgoing webhooks: all of them. */
import type { Elysia } from "elysia";
import type { Accounts } from "../../../accounts/accounts.ts";
import type { Clock } from "../../../clock.ts";
import type { Webhooks } from "../../../webhooks/outgoing-webhooks.ts";
import type { BodyTimeouts } from "../../middleware/body/body.ts";
import type { CallerOf } from "../../middleware/caller.ts";
import { openAdminAccess } from "../organization/admin-access.ts";
import { deliveryRoutes } from "./delivery-routes.ts";
import { endpointRoutes } from "./endpoint-routes.ts";
import { openWebhookAccess } from "./webhook-access.ts";
import { serveWebhookRoutes } from "./webhook-route.ts";

type WebhookRouteDeps = {
  accounts: Accounts;
  webhooks: Webhooks;
  callerOf: CallerOf;
  /** The client's address. */
  clientOf: (request: Request) => string | null;
  timeouts: BodyTimeouts;
  clock: Clock;
};

export function webhookRoutes({ accounts, webhooks, clock, clientOf, ...deps }: WebhookRouteDeps): Elysia {
  const admin = openAdminAccess(accounts, clock);
  const access = openWebhookAccess({ authenticate: accounts.authenticate, admin, clock, clientOf });
  return serveWebhookRoutes({ access, ...deps }, [
    ...endpointRoutes(webhooks),
    ...deliveryRoutes(webhooks, clock),
  ]);
}
