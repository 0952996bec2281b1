/** API key authentication: the bearer key of a request, and the scope that a route needs. */

import type { Authenticate } from "../../accounts/authenticate.ts";
import type { Principal, Scope } from "../../accounts/principal.ts";
import { Refusal } from "../../errors.ts";

/** A null scope accepts any valid key. */
export type Authentication = (request: Request, scope: Scope | null) => Promise<Principal>;

export function openKeyAuthentication(authenticate: Authenticate): Authentication {
  return async (request, scope) => {
    const principal = await authenticate(bearer(request.headers.get("authorization")));
    if (scope !== null) requireScope(principal, scope);
    return principal;
  };
}

export function requireScope({ scopes }: Principal, scope: Scope): void {
  if (!scopes.has(scope)) throw new Refusal("insufficient_scope", `This key lacks the scope ${scope}.`);
}

export function bearer(header: string | null): string {
  const secret = BEARER.exec(header ?? "")?.[1];
  if (secret !== undefined) return secret;
  if (header === null || /^\s*(bearer\s*)?$/i.test(header)) {
    throw new Refusal("missing_api_key", "Send your API key as a header: Authorization: Bearer <API_KEY>.");
  }
  throw new Refusal("invalid_api_key", "The Authorization header must read: Bearer <API_KEY>.");
}

const BEARER = /^\s*bearer\s+(\S+)\s*$/i;
