/** The origin under which browsers reach this server: as configured, or the address it listens on. */
import type { Config } from "../../config.ts";

export type PublicOrigin = {
  origin(): string;
  /** Set once the port is known. */
  listensAt(origin: string): void;
};

export function openPublicOrigin({ host, port, url, tls }: Config["http"]): PublicOrigin {
  let listening = `${tls ? "https" : "http"}://${host}:${port}`;
  return {
    origin: () => url ?? listening,
    listensAt(origin) {
      listening = origin;
    },
  };
}
