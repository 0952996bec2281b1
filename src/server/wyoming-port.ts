/**
 * Whether the port of the Wyoming protocol is open: as the environment says, or as an operator set it in the dashboard,
 * which the data folder keeps. Each node has its own.
 *
 *   LOQUAT_DATA/wyoming.json   {"port": 10300, "key_id": "key_…"}
 */

import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Accounts } from "../accounts/accounts.ts";
import { type Config, ConfigError } from "../config/config.ts";
import { invalidInput, Refusal, toRefusal } from "../errors.ts";
import type { AliasAdmin } from "../models/alias-admin.ts";
import { catalogueByPlan, type LiveCatalogue } from "../models/live-catalogue.ts";
import { replaceJson } from "../natives/replace-file.ts";
import { announceAfter, isLoopback } from "../wyoming/announcement.ts";
import type { ConnectionDeps } from "../wyoming/connection.ts";
import { listenWyoming, type WyomingOptions, type WyomingServer } from "../wyoming/listener.ts";

export type WyomingPort = AsyncDisposable & {
  /** The environment says it: then it cannot be set. */
  isFixed: boolean;
  /** Null while it is closed. */
  current(): WyomingSetting | null;
  /** Opens it if it is to be. What the environment says wrongly is a `ConfigError`; what was set earlier, a warning. */
  listen(opening: WyomingOpening): Promise<void>;
  /** Null closes it, which ends what is under way. Refused where the key or the port cannot be used: nothing changes then. */
  set(wanted: WyomingSetting | null): Promise<void>;
};

export function openWyomingPort(services: WyomingServices): WyomingPort {
  const { accounts, log } = services;
  const { data, http, wyoming: fixed } = services.config;
  const path = join(data.folder, "wyoming.json");
  const port = openPort(services);
  let last: Promise<unknown> = Promise.resolve();
  return {
    isFixed: fixed !== null,
    current: port.current,
    async listen(opening) {
      port.openAs(opening);
      const kept = readSetting(path);
      if (fixed !== null) {
        await checkFixed(fixed, services);
        await port.start(fixed).catch((error: unknown) => {
          const text = `LOQUAT_WYOMING_PORT ${fixed.port} on HOST ${http.host} ${reasonOf(error)}.`;
          throw new ConfigError(`${text} Set it to another number.`);
        });
      } else if (kept !== null)
        await port.start(kept).catch((error: unknown) => {
          log.warn("wyoming_port_unusable", { port: kept.port, reason: reasonOf(error) });
        });
    },
    async set(wanted) {
      if (wanted !== null) await checkWanted(wanted, accounts);
      const changed = last.then(() => port.change(wanted, () => keepSetting(path, wanted)));
      last = changed.catch(() => {});
      await changed.catch((error: unknown) => {
        if (!isOfThePort(error)) throw error;
        throw invalidInput([{ field: "port", code: "not_one_of", message: reasonOf(error) }]);
      });
    },
    async [Symbol.asyncDispose]() {
      await last;
      await port.close();
    },
  };
}

/** One listener at a time. */
function openPort(services: WyomingServices) {
  let open: { setting: WyomingSetting; server: WyomingServer } | null = null;
  let opening: WyomingOpening = {};

  async function start(setting: WyomingSetting): Promise<void> {
    const server = await openWyoming(services, setting, opening);
    open = { setting: { ...setting, port: server.port }, server };
  }

  /** Its requests end before, unless they were ended. */
  async function close(): Promise<void> {
    const server = open?.server;
    open = null;
    await server?.[Symbol.asyncDispose]();
  }

  async function stop(): Promise<void> {
    open?.server.end(new Refusal("service_unavailable", "An operator has closed this port."));
    await close();
  }

  /** `keep` is called once it is open or closed as wanted. If any of it fails, all is as before. */
  async function change(wanted: WyomingSetting | null, keep: () => void): Promise<void> {
    const before = open?.setting ?? null;
    await stop();
    try {
      if (wanted !== null) await start(wanted);
      keep();
    } catch (error) {
      await stop();
      if (before !== null) await start(before);
      throw error;
    }
  }

  return {
    ...{ start, change, close },
    current: () => open?.setting ?? null,
    openAs: (given: WyomingOpening) => {
      opening = given;
    },
  };
}

/** A key that is not there is a mistake in the configuration; one that was revoked stops no server. */
async function checkFixed({ keyId }: WyomingSetting, { accounts, log }: WyomingServices): Promise<void> {
  await accounts.principalOfKey(keyId).catch((error: unknown) => {
    const { code, message } = toRefusal(error);
    if (code === "invalid_api_key") throw new ConfigError(`LOQUAT_WYOMING_KEY: there is no key ${keyId}.`);
    log.warn("wyoming_key_unusable", { keyId, code, message });
  });
}

async function checkWanted({ keyId }: WyomingSetting, accounts: Accounts): Promise<void> {
  await accounts.principalOfKey(keyId).catch(() => {
    throw invalidInput([{ field: "key_id", code: "not_one_of", message: "is not that of a key that works" }]);
  });
}

const REASONS: Record<string, string> = {
  EADDRINUSE: "is already in use",
  EACCES: "needs privileges that the server does not have",
};

const codeOf = (error: unknown): string => String((error as { code?: unknown }).code);
const isOfThePort = (error: unknown): boolean => Object.hasOwn(REASONS, codeOf(error));
const reasonOf = (error: unknown): string => REASONS[codeOf(error)] ?? String(error);

/** Null where nothing was set. */
function readSetting(path: string): WyomingSetting | null {
  try {
    const { port, key_id: keyId } = JSON.parse(readFileSync(path, "utf8"));
    return Number.isInteger(port) && typeof keyId === "string" ? { port, keyId } : null;
  } catch {
    return null;
  }
}

function keepSetting(path: string, setting: WyomingSetting | null): void {
  if (setting === null) rmSync(path, { force: true });
  else replaceJson(path, { port: setting.port, key_id: setting.keyId });
}

/** Opens the port of the Wyoming protocol, under one key. */
type WyomingSetting = { port: number; keyId: string };

export type WyomingServices = Omit<ConnectionDeps, "principal" | "catalogueFor" | "timeouts" | "share"> & {
  config: Pick<Config, "data" | "http" | "wyoming">;
  accounts: Accounts;
  aliases: Pick<AliasAdmin, "current">;
  catalogue: LiveCatalogue;
};

/** `alone` resolves once no predecessor announces the port any more; without it, there is none. */
type WyomingOpening = WyomingOptions & { alone?: Promise<unknown> };

/** Rejects with the system's error where the port cannot be used. A key that was revoked stops no server. */
async function openWyoming(
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
