/** API key authentication: the bearer key of a request, and the scope that a route needs. */

import type { Authenticate } from "../../accounts/authenticate.ts";
import type { Principal } from "../../accounts/principal.ts";
import { Refusal } from "../../errors.ts";
import { checkAddress } from "../../restrictions.ts";
import type { Scope } from "../../scopes.ts";

/** A null scope accepts any valid key. There is no promise where the key is known, and a refusal is then thrown at once. */
export type Authentication = (request: Request, scope: Scope | null) => Principal | Promise<Principal>;

/** `addressOf`: the client's. `secretOf`: the key as a dialect sends it. */
export function openKeyAuthentication(
  authenticate: Authenticate,
  addressOf: (request: Request) => string | null,
  secretOf: (headers: Headers) => string = bearer,
): Authentication {
  return (request, scope) => {
    const allowed = (principal: Principal) => {
      if (principal.caps.length > 0) checkAddress(principal.caps, addressOf(request));
      if (scope !== null) requireScope(principal, scope);
      return principal;
    };
    const principal = authenticate(secretOf(request.headers));
    return principal instanceof Promise ? principal.then(allowed) : allowed(principal);
  };
}

export function requireScope({ scopes }: Principal, scope: Scope): void {
  if (!scopes.has(scope)) throw new Refusal("insufficient_scope", `This key lacks the scope ${scope}.`);
}

/** What nearly every request begins with: no pattern is needed. */
const USUAL = "Bearer sk_";
const BEARER = /^\s*bearer\s+(\S+)\s*$/i;
const SEND_IT = "Send your API key as a header: Authorization: Bearer <API_KEY>.";
/** What clients send for a key that was never entered. */
const UNSET = /^(?:none|null|undefined)$/i;
/** Where the clients of other services put the key. */
const OTHER_HEADERS = ["x-api-key", "xi-api-key", "api-key"];

export function bearer(headers: Headers): string {
  const header = headers.get("authorization");
  if (header?.startsWith(USUAL) && !header.includes(" ", USUAL.length)) return header.slice("Bearer ".length);
  const secret = BEARER.exec(header ?? "")?.[1];
  if (secret !== undefined && !UNSET.test(secret)) return secret;
  if (secret !== undefined)
    throw new Refusal(
      "missing_api_key",
      `The client sent the word "${secret}" in place of a key: enter an API key in its settings.`,
    );
  if (header !== null && !/^\s*(bearer\s*)?$/i.test(header))
    throw new Refusal("invalid_api_key", "The Authorization header must read: Bearer <API_KEY>.");
  const other = OTHER_HEADERS.find((name) => headers.has(name));
  throw new Refusal("missing_api_key", other ? `The header ${other} is not read here. ${SEND_IT}` : SEND_IT);
}
