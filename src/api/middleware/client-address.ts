/** Who sent a request: the client's address, which is its socket's or forwarded by a trusted proxy, and its program. */
import { isIP } from "node:net";
import { plainAddress as plain, within } from "../../networks.ts";

type Server = { requestIP(request: Request): { address: string } | null } | null;

/** What the client says of itself; null: nothing. */
export const userAgentOf = ({ headers }: Request): string | null =>
  headers.get("user-agent")?.slice(0, 256) ?? null;

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
