/** Authentication of routes that are not metered: an API key, and a count of its organization's requests by the minute. */
import type { Authenticate } from "../../../accounts/authenticate.ts";
import type { Principal } from "../../../accounts/principal.ts";
import type { Clock } from "../../../clock.ts";
import { Refusal } from "../../../errors.ts";
import { openRate } from "../../../limits/request-rate.ts";
import type { Scope } from "../../../scopes.ts";
import { openKeyAuthentication } from "../../middleware/caller.ts";
import type { Operation } from "../../openapi/operation.ts";
import { type KeyedRoute, keyedRoutes, type Serving } from "./keyed-route.ts";

export type KeyAccess = (request: Request) => Promise<Principal>;

/** Of an organization, counted by each node. */
const PER_MINUTE = 600;

export type KeyAccessDeps = {
  authenticate: Authenticate;
  clock: Clock;
  /** The client's address. */
  clientOf: (request: Request) => string | null;
};

/** `scopes`: the key needs one of them. `what`: what the routes do, after "API keys may". */
export function openKeyAccess(
  { authenticate, clock, clientOf }: KeyAccessDeps,
  scopes: readonly Scope[],
  what: string,
): KeyAccess {
  const byKey = openKeyAuthentication(authenticate, clientOf);
  const count = openRate(PER_MINUTE, clock);
  return async (request) => {
    const principal = await byKey(request, null);
    if (!scopes.some((scope) => principal.scopes.has(scope))) throw lacksScope(scopes);
    count(principal.organizationId, `API keys of your organization may ${what}`);
    return principal;
  };
}

export const lacksScope = (scopes: readonly Scope[]) =>
  new Refusal("insufficient_scope", `This key lacks the scope ${scopes.join(" or ")}.`);

type Served = Pick<Serving<Principal, KeyedRoute<Principal>>, "prefix" | "timeouts" | "callerOf"> & {
  access: KeyAccess;
  about: string;
  tag: Operation["tag"];
};

/** Routes about what the project of an API key has. */
export const servedByKey = ({ access, about, tag, ...serving }: Served, routes: KeyedRoute<Principal>[]) =>
  keyedRoutes<Principal, KeyedRoute<Principal>>(
    {
      ...serving,
      async admit(request) {
        const principal = await access(request);
        return { principal, actor: { type: "api_key", id: principal.keyId } };
      },
      describe: () => ({ description: about, tag, access: "key" }),
    },
    routes,
  );
