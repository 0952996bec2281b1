/** Reads where requests to addresses of users may go, such as webhooks and recordings, and through which proxy. */
import { type Environment, networks } from "./environment.ts";
import { type Secret, secretAddress } from "./secrets.ts";

/** `networks`: those that users may name beside public ones. `proxy` null: requests go straight to their address. */
export type OutboundConfig = { networks: string[]; proxy: Secret | null };

export function readOutbound(environment: Environment): OutboundConfig {
  const proxy = secretAddress(environment, "LOQUAT_OUTBOUND_PROXY");
  return {
    networks: networks(environment, "LOQUAT_OUTBOUND_NETWORKS"),
    proxy: proxy === null ? null : () => proxy,
  };
}
