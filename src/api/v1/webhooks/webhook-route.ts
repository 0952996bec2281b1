/** A route of webhooks: of the project of an API key, or of the organization of an admin key. */
import type { Elysia } from "elysia";
import type { TSchema } from "typebox";
import type { EndpointOwner } from "../../../db/queries/webhook-endpoints.ts";
import type { Endpoint } from "../../../webhooks/endpoints.ts";
import type { Webhooks } from "../../../webhooks/outgoing-webhooks.ts";
import {
  type About,
  type Given,
  type KeyedCall,
  type KeyedRoute,
  keyedRoute,
  keyedRoutes,
  noSuch,
  type Serving,
} from "../organization/keyed-route.ts";
import type { WebhookAccess } from "./webhook-access.ts";

type WebhookCall = KeyedCall<EndpointOwner>;

export type WebhookRoute = KeyedRoute<EndpointOwner>;

/** The handler's types follow from the schemas. */
export const webhookRoute = <Q extends TSchema, B extends TSchema>(
  route: About & Given<EndpointOwner, Q, B>,
): WebhookRoute => keyedRoute(route);

/** The endpoint of the path; another's is as one that does not exist. */
export const ownEndpoint =
  (webhooks: Pick<Webhooks, "find">) =>
  async ({ principal, ids }: Pick<WebhookCall, "principal" | "ids">): Promise<Endpoint> => {
    const endpoint = await webhooks.find(principal, ids.webhook_endpoint!);
    if (endpoint === null) throw noSuch("webhook_endpoint");
    return endpoint;
  };

type WebhookRouteDeps = { access: WebhookAccess } & Pick<
  Serving<EndpointOwner, WebhookRoute>,
  "timeouts" | "callerOf"
>;

export const serveWebhookRoutes = ({ access, ...deps }: WebhookRouteDeps, routes: WebhookRoute[]): Elysia =>
  keyedRoutes<EndpointOwner, WebhookRoute>(
    {
      ...deps,
      prefix: "/v1",
      admit: access,
      describe: () => ({
        description:
          "Needs an API key with the scope `webhook:manage`, for the endpoints of its project, or an admin key with the scope `webhooks:write`, for those of the organization. Not metered; 600 requests a minute of an organization.",
        ...{ tag: "Webhooks", access: "key or admin" },
      }),
    },
    routes,
  );
