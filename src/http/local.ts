/**
 * Whether somebody asks from this machine or a private network: who may see what is for operators alone. A request that
 * a proxy passed on, and that came from nobody knows where, is not local.
 */
import { BlockList } from "node:net";
import type { CallerOf } from "./caller.ts";

type Server = Parameters<CallerOf>[1];

const NETWORKS = [
  ["127.0.0.0", 8, "ipv4"],
  ["10.0.0.0", 8, "ipv4"],
  ["172.16.0.0", 12, "ipv4"],
  ["192.168.0.0", 16, "ipv4"],
  ["::1", 128, "ipv6"],
  ["fc00::", 7, "ipv6"],
  ["fe80::", 10, "ipv6"],
] as const;

const local = new BlockList();
for (const [address, prefix, kind] of NETWORKS) local.addSubnet(address, prefix, kind);

const PASSED_ON = ["x-forwarded-for", "forwarded", "via"];

export function isLocal(request: Request, server: Server, callerOf: CallerOf): boolean {
  const caller = callerOf(request, server);
  if (caller === null) return false;
  const isPassedOn = PASSED_ON.some((name) => request.headers.has(name));
  if (isPassedOn && caller === server?.requestIP(request)?.address) return false;
  const plain = caller.replace(/^::ffff:(?=\d+\.)/i, "");
  return local.check(plain, plain.includes(":") ? "ipv6" : "ipv4");
}
