/**
 * GET /v1/realtime: the socket of a live transcription or a conversation. The upgrade succeeds even for a refused session,
 * because a browser cannot read a failed upgrade; the error is sent on the socket. Only an offer of nothing but a key as
 * subprotocol fails.
 */
import { Elysia } from "elysia";
import { protocolsOf, type SocketRoutes } from "../../sockets/socket-route.ts";
import { Call, type CallDeps } from "./call.ts";
import { REALTIME } from "./call-protocol.ts";
import { chosenOf, openingOf } from "./handshake.ts";

export const realtimeRoute = (deps: Omit<CallDeps, "share" | "protocol">, { share, handle }: SocketRoutes) =>
  new Elysia().get(
    "/v1/realtime",
    handle((request, caller) => {
      const protocols = protocolsOf(request);
      const opening = openingOf(request, protocols, caller);
      const protocol = chosenOf(protocols);
      return {
        protocol,
        connect: (socket) => new Call({ ...deps, share, protocol: REALTIME }, opening, socket),
      };
    }),
    { detail: { hide: true } }, // OpenAPI cannot describe a socket
  );
