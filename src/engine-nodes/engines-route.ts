/** GET /engines: the socket of an engine node that connects to this API node, for those that hold the secret. */
import { Elysia } from "elysia";
import type { Secret } from "../config/config.ts";
import { openClosedSockets } from "../engine/closed-sockets.ts";
import { isAuthorized, type SocketHandlers, upgraded } from "../engine/remote/accept.ts";
import { ENGINES_PATH } from "../engine/remote/messages.ts";
import { Refusal } from "../errors.ts";

/** `accept`: for one connection. */
export type EnginesDeps = { secret: Secret; accept: () => SocketHandlers };

/** Null where no engine node may connect: then there is nothing at the address. */
export function enginesRoute(deps: EnginesDeps | null) {
  if (deps === null) return new Elysia();
  const { secret, accept } = deps;
  const closed = openClosedSockets();
  return new Elysia().get(
    ENGINES_PATH,
    ({ request, server }) => {
      if (!isAuthorized(request, secret))
        throw new Refusal("invalid_api_key", "Send the value of LOQUAT_ENGINE_SECRET as a bearer token.");
      if (!server || !upgraded(request, server as never, { handlers: accept(), closed }))
        throw new Refusal("upgrade_required", "Connect to this address with a WebSocket.");
    },
    { detail: { hide: true } }, // OpenAPI cannot describe a socket
  );
}
