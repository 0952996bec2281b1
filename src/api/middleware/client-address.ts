/** Where a request comes from: its socket's address, or what a proxy that is trusted says of it. */
import { BlockList, isIP } from "node:net";

type Server = { requestIP(request: Request): { address: string } | null } | null;

export type CallerOf = (request: Request, server: Server) => string | null;

/**
 * Each proxy adds the address it heard from to the end of X-Forwarded-For, so that the caller is the last one that is no
 * proxy of ours; what stands before that anybody may have written.
 */
export function openCallers(proxies: readonly string[]): CallerOf {
  const isTrusted = within(proxies);
  return (request, server) => {
    const address = server?.requestIP(request)?.address ?? null;
    if (address === null || !isTrusted(address)) return address;
    const told = (request.headers.get("x-forwarded-for") ?? "").split(",").map(plain);
    const caller = told.findLast((each) => !isTrusted(each)) ?? "";
    return isIP(caller) === 0 ? address : caller;
  };
}

/** Is an address one of these, or in one of these networks? Neither is checked here. */
export function within(networks: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const each of networks) {
    const [address, prefix] = each.split("/") as [string, string?];
    const kind = isIP(address) === 6 ? "ipv6" : "ipv4";
    if (prefix === undefined) list.addAddress(address, kind);
    else list.addSubnet(address, Number(prefix), kind);
  }
  return (given) => {
    const address = plain(given);
    const version = isIP(address);
    return version !== 0 && list.check(address, version === 6 ? "ipv6" : "ipv4");
  };
}

/** An IPv4 address is the same when a socket for both kinds says it. */
const plain = (address: string): string => address.trim().replace(/^::ffff:(?=\d+\.)/i, "");
