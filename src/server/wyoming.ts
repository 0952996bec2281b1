/** Opens the port of the Wyoming protocol, under one key. */
import type { Accounts } from "../accounts/accounts.ts";
import type { Config } from "../config/config.ts";
import type { AliasAdmin } from "../models/alias-admin.ts";
import { catalogueByPlan, type LiveCatalogue } from "../models/live-catalogue.ts";
import { announceAfter, isLoopback } from "../wyoming/announcement.ts";
import type { ConnectionDeps } from "../wyoming/connection.ts";
import { listenWyoming, type WyomingOptions, type WyomingServer } from "../wyoming/listener.ts";

export type WyomingSetting = { port: number; keyId: string };

export type WyomingServices = Omit<ConnectionDeps, "principal" | "catalogueFor" | "timeouts" | "share"> & {
  config: Pick<Config, "data" | "http" | "wyoming">;
  accounts: Accounts;
  aliases: Pick<AliasAdmin, "current">;
  catalogue: LiveCatalogue;
};

/** `alone` resolves once no predecessor announces the port any more; without it, there is none. */
export type WyomingOpening = WyomingOptions & { alone?: Promise<unknown> };

/** Rejects with the system's error where the port cannot be used. A key that was revoked stops no server. */
export async function openWyoming(
  services: WyomingServices,
  { port, keyId }: WyomingSetting,
  { alone = Promise.resolve(), ...options }: WyomingOpening = {},
): Promise<WyomingServer> {
  const { accounts, aliases, catalogue, config } = services;
  const principal = () => accounts.principalOfKey(keyId);
  const catalogueFor = catalogueByPlan(catalogue, () => aliases.current());
  const deps = { ...services, principal, catalogueFor };
  const server = await listenWyoming(deps, { host: config.http.host, port }, options);
  return withCompanions(server, { services, keyId, alone });
}

type Companions = { services: WyomingServices; keyId: string; alone: Promise<unknown> };

/** Ends the connections once the key may no longer be used, and announces the port where others can reach it. */
function withCompanions(server: WyomingServer, { services, keyId, alone }: Companions): WyomingServer {
  const { accounts, log } = services;
  const stack = new AsyncDisposableStack();
  stack.use(server);
  stack.use(
    accounts.onKeysEnding(async () => {
      const refusal = await accounts.endOfKey(keyId).catch(() => null); // the next request is refused in any case
      if (refusal) server.end(refusal);
    }),
  );
  if (!isLoopback(server.address)) stack.use(announceAfter(alone, server, log));
  return { ...server, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}
