/** Who calls, and whether they may: the bearer key of a request, and the scope a route needs. */

import type { Principal, Scope } from "../account/principal.ts";
import { Fault } from "../errors.ts";

export type Access = (request: Request, scope: Scope) => Principal;

export function openAccess(authenticate: (secret: string) => Principal): Access {
  return (request, scope) => {
    const principal = authenticate(bearer(request.headers.get("authorization")));
    if (principal.scopes.has(scope)) return principal;
    throw new Fault("insufficient_scope", `This key lacks the scope ${scope}.`);
  };
}

function bearer(header: string | null): string {
  if (header === null || header.trim() === "") {
    throw new Fault("missing_api_key", "Send your API key as a header: Authorization: Bearer <API_KEY>.");
  }
  const [scheme, secret, ...rest] = header.trim().split(/\s+/);
  if (scheme?.toLowerCase() === "bearer" && secret === undefined) {
    throw new Fault(
      "missing_api_key",
      "The Authorization header holds no key: Authorization: Bearer <API_KEY>.",
    );
  }
  if (scheme?.toLowerCase() !== "bearer" || secret === undefined || rest.length > 0) {
    throw new Fault("invalid_api_key", "The Authorization header must read: Bearer <API_KEY>.");
  }
  return secret;
}
