/** Who sent a request: the client's address, which is its socket's or forwarded by a trusted proxy, its program and its user. */
import { isIP } from "node:net";
import type { EndUserHeader } from "../../kept-data.ts";
import { plainAddress as plain, within } from "../../networks.ts";

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
