/**
 * Whether a request comes from this machine or a private network, and so may read operators' endpoints. A forwarded
 * request of unknown origin is not local.
 */
import { within } from "../../networks.ts";
import type { CallerOf } from "./caller.ts";

type Server = Parameters<CallerOf>[1];

const isPrivate = within([
  "127.0.0.0/8",
  "10.0.0.0/8",
  "172.16.0.0/12",
  "192.168.0.0/16",
  "::1/128",
  "fc00::/7",
  "fe80::/10",
]);

const PASSED_ON = ["x-forwarded-for", "forwarded", "via"];

export function isLocal(request: Request, server: Server, callerOf: CallerOf): boolean {
  const caller = callerOf(request, server);
  if (caller === null) return false;
  const isPassedOn = PASSED_ON.some((name) => request.headers.has(name));
  if (isPassedOn && caller === server?.requestIP(request)?.address) return false;
  return isPrivate(caller);
}
