/** Opens the port of the Wyoming protocol, under the key that the configuration names. */
import { type Config, ConfigError } from "../config/config.ts";
import { toRefusal } from "../errors.ts";
import { catalogueByPlan } from "../models/live-catalogue.ts";
import { announceAfter, isLoopback } from "../wyoming/announcement.ts";
import { listenWyoming, type WyomingOptions, type WyomingServer } from "../wyoming/listener.ts";
import type { Services } from "./services.ts";

type Wyoming = NonNullable<Config["wyoming"]>;

/** `alone` resolves once no predecessor announces the port any more; without it, there is none. */
type Options = WyomingOptions & { alone?: Promise<unknown> };

/** An unknown key or a port in use is a mistake in the configuration. A key that was revoked stops no server. */
export async function openWyoming(
  services: Services,
  { port, keyId }: Wyoming,
  { alone = Promise.resolve(), ...options }: Options = {},
): Promise<WyomingServer> {
  const { accounts, meter, budget, catalogue, synthesizer, decoder, registry, clock, log, config } = services;
  const principal = () => accounts.principalOfKey(keyId);
  await principal().catch((error: unknown) => {
    const { code, message } = toRefusal(error);
    if (code === "invalid_api_key") throw new ConfigError(`LOQUAT_WYOMING_KEY: there is no key ${keyId}.`);
    log.warn("wyoming_key_unusable", { keyId, code, message });
  });
  const { host } = config.http;
  const catalogueFor = catalogueByPlan(catalogue, () => services.aliases.current());
  const engines = { catalogue, catalogueFor, synthesizer, decoder, registry };
  const deps = {
    principal,
    meter,
    budget,
    ...engines,
    clock,
    log,
    metrics: services.metrics,
    tracing: services.tracing,
    pronunciations: services.pronunciations,
    voices: services.voices,
  };
  try {
    const server = await listenWyoming(deps, { host, port }, options);
    return withCompanions(server, { services, keyId, alone });
  } catch (error) {
    const reason = (error as { code?: string }).code === "EADDRINUSE" ? "is already in use" : String(error);
    throw new ConfigError(`LOQUAT_WYOMING_PORT ${port} on HOST ${host} ${reason}. Set it to another number.`);
  }
}

type Companions = { services: Services; keyId: string; alone: Promise<unknown> };

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
