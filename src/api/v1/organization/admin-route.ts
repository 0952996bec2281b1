/** A route of the organization API: called with an admin key that has its scope. */
import type { Elysia } from "elysia";
import type { TSchema } from "typebox";
import type { AdminPrincipal } from "../../../accounts/principal.ts";
import type { AdminScope } from "../../../scopes.ts";
import type { AdminAccess } from "./admin-access.ts";
import {
  type About,
  type Given,
  type KeyedCall,
  type KeyedRoute,
  keyedRoute,
  keyedRoutes,
  type Serving,
} from "./keyed-route.ts";

export type AdminCall<Query = unknown, Body = unknown> = KeyedCall<AdminPrincipal, Query, Body>;

export type AdminRoute = KeyedRoute<AdminPrincipal> & { scope: AdminScope };

/** The handler's types follow from the schemas. */
export const adminRoute = <Q extends TSchema, B extends TSchema>(
  route: About & { scope: AdminScope } & Given<AdminPrincipal, Q, B>,
): AdminRoute => keyedRoute(route);

type AdminRouteDeps = { access: AdminAccess } & Pick<
  Serving<AdminPrincipal, AdminRoute>,
  "timeouts" | "callerOf"
>;

export const adminRoutes = ({ access, ...deps }: AdminRouteDeps, routes: AdminRoute[]): Elysia =>
  keyedRoutes<AdminPrincipal, AdminRoute>(
    {
      ...deps,
      prefix: "/v1/organization",
      async admit(request, { scope }) {
        const principal = await access(request, scope);
        return { principal, actor: { type: "admin_key", id: principal.keyId } };
      },
      describe: ({ scope }) => ({
        description: `Needs an admin key with the scope \`${scope}\`. Not metered; 600 requests a minute of an organization.`,
        ...{ tag: "Organization", access: "admin" },
      }),
    },
    routes,
  );
