/** The addresses under which clients reach this server: as configured, or those that it listens on. */
import type { Config } from "../../config/config.ts";

export type PublicOrigin = {
  /** With the path below which the server lies, if there is one. */
  origin(): string;
  /** All of them, the first as `origin` has it: several only where none is configured. */
  origins(): string[];
  /** That path, such as "/speech"; empty at the root. */
  base: string;
  /** Set once the port is known: the address for links, and then the others. */
  listensAt(...origins: [string, ...string[]]): void;
};

export function openPublicOrigin({ host, port, url, tls }: Config["http"]): PublicOrigin {
  let listening = [`${tls ? "https" : "http"}://${host}:${port}`];
  return {
    origin: () => url ?? listening[0]!,
    origins: () => (url === null ? listening : [url]),
    base: basePath(url),
    listensAt(...origins) {
      listening = origins;
    },
  };
}

/** Of a public URL, without a slash at its end. */
const basePath = (url: string | null): string =>
  url === null ? "" : new URL(url).pathname.replace(/\/$/, "");
