/**
 * One upstream while it is used: its servers as their names resolve, their health, and the engines that run on them.
 *
 *   every 30 s   names ──> servers
 *   every 10 s   health path of each server ──> in or out of the pool
 */

import type { LanguageModel } from "../engine/protocol/chat.ts";
import type { Runner } from "../engine/runner.ts";
import { openLanguageModel } from "./chat/language-model.ts";
import type { LanguageModelEntry } from "./definition.ts";
import type { Preset } from "./dialects/preset.ts";
import { type LiveTurn, openLiveTurn, type TurnOptions } from "./live/live-turn.ts";
import { openExchange } from "./transport/exchange.ts";
import type { FailureKind, UpstreamFailure } from "./transport/failure.ts";
import { type Address, resolveAll } from "./transport/resolve-names.ts";
import { openServerPool } from "./transport/server-pool.ts";
import { noteProbe, type Server, type ServerState, stateOf } from "./transport/server-state.ts";
import { type Fallback, openUpstreamRunner } from "./upstream-runner.ts";

export type UpstreamOptions = {
  preset: Preset;
  urls: readonly string[];
  /** Read with each request, so that a renewed one is used. */
  credential: () => string | null;
  /** Called with each failure. */
  failed?: (failure: { kind: FailureKind; server: string; message: string }) => void;
  /** How often health is checked. */
  healthMs?: number;
};

/** A server as operators see it. */
export type ServerStatus = Pick<Server, "inFlight" | "latencyMs" | "succeeded" | "failed" | "lastFailure"> & {
  url: string;
  state: ServerState;
};

export type Upstream = AsyncDisposable & {
  runner(model: string, fallback: Fallback | null): Runner;
  /** Listens to one turn of live speech. The preset has `realtime`. */
  listen(model: string, options: TurnOptions): LiveTurn;
  /** The preset has `chat`. */
  languageModel(entry: LanguageModelEntry): LanguageModel;
  /** How many tasks all of its servers work on at once. */
  places(): number;
  servers(): ServerStatus[];
  /** Resolves and checks no more; what uses it goes on. */
  retire(): void;
  /** Resolves once its names were resolved for the first time, whether or not they could be. */
  ready: Promise<void>;
};

const RESOLVE_MS = 30_000;
const HEALTH_MS = 10_000;
const HEALTH_LIMIT_MS = 3000;

export function openUpstream(options: UpstreamOptions): Upstream {
  const { preset, urls, failed = () => {}, healthMs = HEALTH_MS } = options;
  const limits = { inFlightMax: preset.max_in_flight, gapMs: preset.min_gap_ms };
  const pool = openServerPool({ limits });
  const turns = openServerPool({ limits: { inFlightMax: preset.realtime?.turns_max ?? 1, gapMs: 0 } });
  const turnsAt = ({ address: { key } }: Server) =>
    turns.servers().find(({ address }) => address.key === key);
  const headers = () => credentialHeaders(preset, options.credential());
  const resolve = async () => {
    try {
      const addresses = await resolveAll(urls);
      for (const each of [pool, turns]) each.replace(addresses);
    } catch (error) {
      failed({ kind: "unreachable", server: urls.join(" "), message: (error as Error).message });
    }
  };
  const closing = new AbortController();
  const ready = resolve();
  const timers = [every(RESOLVE_MS, resolve)];
  const { health } = preset;
  if (health !== null)
    timers.push(
      every(healthMs, async () => {
        const asked = pool.servers().filter(({ inFlight }) => health.truth !== "may-block" || inFlight === 0);
        await Promise.all(
          asked.map(async (server) => {
            const probing = { address: server.address, headers, signal: closing.signal };
            const succeeded = await isHealthy(health.path, probing);
            for (const each of [server, turnsAt(server) ?? []].flat())
              noteProbe(each, succeeded, performance.now());
          }),
        );
      }),
    );
  const connection = {
    preset,
    pool,
    headers,
    budget: openRetryBudget(),
    failed: ({ kind, message }: UpstreamFailure, server: string) => failed({ kind, server, message }),
  };
  const retire = () => {
    for (const timer of timers) clearInterval(timer);
  };
  return {
    ready,
    retire,
    runner: (model, fallback) => waitingFor(ready, openUpstreamRunner(connection, { model, fallback })),
    listen: (model, turn) => openLiveTurn({ ...connection, pool: turns, ready }, model, turn),
    languageModel: (entry) => afterReady(ready, openLanguageModel(connection, entry)),
    places: () => pool.places(),
    servers: () => pool.servers().map((server) => statusOf(server, turnsAt(server)?.inFlight ?? 0)),
    async [Symbol.asyncDispose]() {
      retire();
      closing.abort(new Error("the upstream is closed"));
      pool[Symbol.dispose]();
      turns[Symbol.dispose]();
      await ready;
    },
  };
}

/** The header of a credential; none without one. */
export function credentialHeaders({ auth }: Pick<Preset, "auth">, credential: string | null) {
  if (credential === null) return {};
  return { [auth.header]: auth.scheme === "" ? credential : `${auth.scheme} ${credential}` };
}

function every(ms: number, work: () => Promise<void>): Timer {
  const timer = setInterval(() => void work(), ms);
  timer.unref();
  return timer;
}

const waitingFor = (ready: Promise<void>, runner: Runner): Runner => ({
  async run(task, transfer, claim) {
    await ready;
    return runner.run(task, transfer, claim);
  },
  [Symbol.asyncDispose]: () => runner[Symbol.asyncDispose](),
});

const afterReady = (ready: Promise<void>, model: LanguageModel): LanguageModel => ({
  ...model,
  async contextTokens() {
    await ready;
    return model.contextTokens();
  },
  async *chat(request, signal) {
    await ready;
    yield* model.chat(request, signal);
  },
  async warm(request, signal) {
    await ready;
    await model.warm(request, signal);
  },
});

function statusOf(server: Server, turnsOpen: number): ServerStatus {
  const { address, latencyMs, succeeded, failed, lastFailure } = server;
  const url = address.host === null ? address.base : `${address.base} (${address.host})`;
  return {
    url,
    state: stateOf(server, performance.now()),
    inFlight: server.inFlight + turnsOpen,
    latencyMs,
    succeeded,
    failed,
    lastFailure,
  };
}

type Probing = { address: Address; headers: () => Record<string, string>; signal: AbortSignal };

/** Whether the health path answers 200 in time. No server is healthy while the credential cannot be read. */
async function isHealthy(path: string, probing: Probing): Promise<boolean> {
  const timeouts = {
    firstByteMs: HEALTH_LIMIT_MS,
    betweenBytesMs: HEALTH_LIMIT_MS,
    wholeMs: HEALTH_LIMIT_MS,
  };
  try {
    using _ = await openExchange(
      { path, method: "GET" },
      {
        ...{ ...probing, headers: probing.headers(), timeouts },
      },
    );
    return true;
  } catch {
    return false;
  }
}

const SHARE = 0.2;
const LEAST = 3;
const MOST = 20;

/** How many requests may be tried again: a fifth of them, and three at least, so that a failing upstream gets no storm. */
type RetryBudget = {
  /** A request begins. */
  requested(): void;
  /** Whether one may be tried again; if so, it is counted. */
  retry(): boolean;
};

function openRetryBudget(): RetryBudget {
  let retries = LEAST;
  return {
    requested() {
      retries = Math.min(MOST, retries + SHARE);
    },
    retry() {
      if (retries < 1) return false;
      retries--;
      return true;
    },
  };
}
