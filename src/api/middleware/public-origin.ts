/** The address under which browsers reach this server: as configured, or the one it listens on. */
import type { Config } from "../../config/config.ts";

export type PublicOrigin = {
  /** With the path below which the server lies, if there is one. */
  origin(): string;
  /** That path, such as "/speech"; empty at the root. */
  base: string;
  /** Set once the port is known. */
  listensAt(origin: string): void;
};

export function openPublicOrigin({ host, port, url, tls }: Config["http"]): PublicOrigin {
  let listening = `${tls ? "https" : "http"}://${host}:${port}`;
  return {
    origin: () => url ?? listening,
    base: basePath(url),
    listensAt(origin) {
      listening = origin;
    },
  };
}

/** Of a public URL, without a slash at its end. */
const basePath = (url: string | null): string =>
  url === null ? "" : new URL(url).pathname.replace(/\/$/, "");
