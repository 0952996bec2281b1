/** Where Deepgram's clients put their key. */
import { bearer } from "../../middleware/caller.ts";
import { protocolsOf } from "../../sockets/socket-route.ts";
import { schemeSecret } from "../dialect.ts";

export const deepgramSecret = (headers: Headers): string => schemeSecret(headers, "token") ?? bearer(headers);

const SCHEMES = ["token", "bearer"];

/** Pages cannot send headers with a socket: they offer the scheme and the key as subprotocols, of which the scheme is chosen. */
export function socketSecret(request: Request): { secret: () => string; protocol: string | null } {
  const [scheme = "", key] = protocolsOf(request);
  if (SCHEMES.includes(scheme.toLowerCase()) && key && !request.headers.has("authorization"))
    return { secret: () => key, protocol: scheme };
  return { secret: () => deepgramSecret(request.headers), protocol: null };
}
