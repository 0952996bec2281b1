/** Where browsers find this server: as it was told, or else where it came to listen. */
import type { Config } from "../../config.ts";

export type PublicOrigin = {
  origin(): string;
  /** Told once the port is known. */
  listensAt(origin: string): void;
};

export function openPublicOrigin({ host, port, url }: Config["http"]): PublicOrigin {
  let listening = `http://${host}:${port}`;
  return {
    origin: () => url ?? listening,
    listensAt(origin) {
      listening = origin;
    },
  };
}
