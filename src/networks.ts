/** IP addresses and networks such as 10.0.0.0/8: whether a text is one, and which addresses are within. */
import { BlockList, isIP } from "node:net";

export function isNetwork(text: string): boolean {
  const [address = "", prefix = "0", ...more] = text.split("/");
  const bits = { 0: -1, 4: 32, 6: 128 }[isIP(address)]!;
  return more.length === 0 && !address.includes("%") && /^\d{1,3}$/.test(prefix) && Number(prefix) <= bits;
}

/** Matches addresses against a list of addresses and networks, which are already validated. */
export function within(networks: readonly string[]): (address: string) => boolean {
  let list: BlockList | null = null; // made for the first address: the runtime loads it slowly
  return (text) => {
    const address = plainAddress(text);
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
export const plainAddress = (address: string): string => address.trim().replace(/^::ffff:(?=\d+\.)/i, "");
