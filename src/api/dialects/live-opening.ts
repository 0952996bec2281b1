/** The request that opens a live session of a dialect. */
import type { Accounts } from "../../accounts/accounts.ts";
import type { Principal } from "../../accounts/principal.ts";
import { isClientSecret } from "../../accounts/secret.ts";
import { requireScope, userAgentOf } from "../middleware/caller.ts";
import type { Caller } from "../sockets/socket-route.ts";
import type { CallDeps } from "../v1/realtime/call.ts";
import type { CallProtocol } from "../v1/realtime/call-protocol.ts";
import type { Opening } from "../v1/realtime/handshake.ts";
import type { DialectServices } from "./dialect.ts";

type LiveOpening = { endpoint: string; secret: () => string };

export const liveOpening = (
  request: Request,
  { id, ip }: Caller,
  { endpoint, secret }: LiveOpening,
): Opening => ({
  ...{ id, ip, request, endpoint, secret, model: null },
  shape: { beta: false, intent: true },
  userAgent: userAgentOf(request),
});

/** Whose key it is, where that can be told before the socket is open: a client secret counts as used once it is read. */
export async function principalOf(
  accounts: Pick<Accounts, "authenticate">,
  secret: string,
): Promise<Principal | null> {
  if (isClientSecret(secret)) return null;
  const principal = await accounts.authenticate(secret);
  requireScope(principal, "realtime:connect");
  return principal;
}

/** A token of a dialect brings no settings: it is a key of its own. */
export const callDeps = (services: DialectServices, protocol: CallProtocol): CallDeps => ({
  ...services,
  accounts: {
    ...services.accounts,
    redeemClientSecret: async (token) => ({
      principal: await services.accounts.authenticate(token),
      session: {},
    }),
  },
  share: services.sockets.share,
  protocol,
  openConversation: async () => null, // it transcribes
});
