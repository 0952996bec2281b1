/** Which IP addresses outgoing requests may reach: public ones, and those of networks that the operator names. */
import { BlockList, isIPv6 } from "node:net";

/** Special addresses by IANA's registries (RFC 6890); all else of IPv4 is public. */
const RESERVED_V4 = [
  "0.0.0.0/8", // this network
  "10.0.0.0/8", // private
  "100.64.0.0/10", // carriers
  "127.0.0.0/8", // loopback
  "169.254.0.0/16", // link-local
  "172.16.0.0/12", // private
  "192.0.0.0/24", // protocols
  "192.0.2.0/24", // documentation
  "192.88.99.0/24", // relays of 6to4
  "192.168.0.0/16", // private
  "198.18.0.0/15", // benchmarks
  "198.51.100.0/24", // documentation
  "203.0.113.0/24", // documentation
  "224.0.0.0/4", // multicast
  "240.0.0.0/4", // reserved, and broadcast
];
const PUBLIC_V6 = ["2000::/3"];
/** Within it: what is documentation, or stands for another address, which could be private. */
const RESERVED_V6 = ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"];
/** Where clouds tell machines their credentials: never reached, whatever the operator names. */
const METADATA = ["169.254.0.0/16", "100.100.100.200/32", "168.63.129.16/32", "fd00:ec2::/32", "fe80::/10"];

const familyOf = (address: string) => (isIPv6(address) ? "ipv6" : "ipv4");

const reservedV4 = listOf(RESERVED_V4);
const publicV6 = listOf(PUBLIC_V6);
const reservedV6 = listOf(RESERVED_V6);
const metadata = listOf(METADATA);

/** `networks`: addresses and networks such as 10.0.0.0/8. */
export function listOf(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = "", prefix] = network.split("/");
    const family = familyOf(address);
    if (prefix === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(prefix), family);
  }
  return list;
}

/** `open`: of the operator; "closed" may not be reached. An IPv4 address in a form of IPv6 is none of either. */
export function reachOf(address: string, open: BlockList): "public" | "open" | "closed" {
  const family = familyOf(address);
  if (isMapped(address) || metadata.check(address, family)) return "closed";
  if (open.check(address, family)) return "open";
  const isPublic =
    family === "ipv4"
      ? !reservedV4.check(address, family)
      : publicV6.check(address, family) && !reservedV6.check(address, family);
  return isPublic ? "public" : "closed";
}

const mapped = listOf(["::ffff:0:0/96", "64:ff9b::/96", "64:ff9b:1::/48", "::/96"]);

/** Lists of IPv4 would otherwise be asked for what an address of IPv6 stands for. */
const isMapped = (address: string): boolean =>
  isIPv6(address) && address !== "::1" && mapped.check(address, "ipv6");
