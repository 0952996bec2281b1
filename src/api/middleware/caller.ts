/** Who sends a request: its bearer key and the scope that a route needs, its address, its program and its user. */

import { isIP } from "node:net";
import type { Authenticate } from "../../accounts/authenticate.ts";
import type { Principal } from "../../accounts/principal.ts";
import { Refusal } from "../../errors.ts";
import type { EndUserHeader } from "../../kept-data.ts";
import { plainAddress as plain, within } from "../../networks.ts";
import { checkAddress } from "../../restrictions.ts";
import type { Scope } from "../../scopes.ts";
import { storedLabel } from "../../usage/request-log.ts";

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

type Server = { requestIP(request: Request): { address: string } | null } | null;

/** What the client says of itself; null: nothing. */
export const userAgentOf = ({ headers }: Request): string | null =>
  headers.get("user-agent")?.slice(0, 256) ?? null;

/** Open WebUI encodes it, since names are not of ASCII alone. */
const ENCODED: EndUserHeader = "X-OpenWebUI-User-Name";

/** Whom the header names that an organization chose for its end users; null: none. */
export function endUserIn({ headers }: Request, header: EndUserHeader | null): string | null {
  const name = header && headers.get(header);
  return name && header === ENCODED ? decoded(name) : name;
}

/** What a query calls its request: `label` of its query, or `tag`, as clients of Deepgram name it; null: none. */
export function labelInQuery({ url }: Request): string | null {
  const { searchParams } = new URL(url);
  return storedLabel(searchParams.get("label") ?? searchParams.get("tag") ?? "");
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export type CallerOf = (request: Request, server: Server) => string | null;

/**
 * Each proxy appends its peer to X-Forwarded-For, so the client is the last address that is not a trusted proxy.
 * Everything before it may be forged.
 */
export function openCallers(proxies: readonly string[]): CallerOf {
  const isTrusted = within(proxies);
  return (request, server) => {
    const address = server?.requestIP(request)?.address ?? null;
    if (address === null || !isTrusted(address)) return address;
    const forwarded = (request.headers.get("x-forwarded-for") ?? "").split(",").map(plain);
    const caller = forwarded.findLast((each) => !isTrusted(each)) ?? "";
    return isIP(caller) === 0 ? address : caller;
  };
}
