/** Where the server of this machine is reached. */
import type { Config } from "../../config/config.ts";

/** Where a server with this configuration is reached from its own machine. */
export function localOrigin({ host, port, tls }: Pick<Config["http"], "host" | "port" | "tls">): string {
  const address = { "0.0.0.0": "127.0.0.1", "::": "::1" }[host] ?? host;
  return `${tls ? "https" : "http"}://${address.includes(":") ? `[${address}]` : address}:${port}`;
}
