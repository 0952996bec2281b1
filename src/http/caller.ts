/** Where a request comes from: its socket's address, or what a proxy that is trusted says of it. */
import { isIP } from "node:net";

type Server = { requestIP(request: Request): { address: string } | null } | null;

export type CallerOf = (request: Request, server: Server) => string | null;

/**
 * Each proxy adds the address it heard from to the end of X-Forwarded-For, so that the caller is the last one that is no
 * proxy of ours; what stands before that anybody may have written.
 */
export function openCallers(proxies: readonly string[]): CallerOf {
  const trusted = new Set(proxies.map(plain));
  return (request, server) => {
    const address = server?.requestIP(request)?.address ?? null;
    if (address === null || !trusted.has(plain(address))) return address;
    const told = (request.headers.get("x-forwarded-for") ?? "").split(",").map(plain);
    const caller = told.findLast((each) => !trusted.has(each)) ?? "";
    return isIP(caller) === 0 ? address : caller;
  };
}

/** An IPv4 address is the same when a socket for both kinds says it. */
const plain = (address: string): string => address.trim().replace(/^::ffff:(?=\d+\.)/i, "");
