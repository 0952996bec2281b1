/** Who sent a request: the client's address, which is its socket's or forwarded by a trusted proxy, and its program. */
import { BlockList, isIP } from "node:net";

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

/** Matches addresses against a list of addresses and networks, which are already validated. */
export function within(networks: readonly string[]): (address: string) => boolean {
  let list: BlockList | null = null; // made for the first address: the runtime loads it slowly
  return (text) => {
    const address = plain(text);
    const version = isIP(address);
    list ??= listOf(networks);
    return version !== 0 && list.check(address, version === 6 ? "ipv6" : "ipv4");
  };
}

function listOf(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const each of networks) {
    const [address, prefix] = each.split("/") as [string, string?];
    const kind = isIP(address) === 6 ? "ipv6" : "ipv4";
    if (prefix === undefined) list.addAddress(address, kind);
    else list.addSubnet(address, Number(prefix), kind);
  }
  return list;
}

/** Unwraps an IPv4 address that a dual-stack socket reports as IPv6. */
const plain = (address: string): string => address.trim().replace(/^::ffff:(?=\d+\.)/i, "");
