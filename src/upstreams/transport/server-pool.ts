/**
 * The servers of one upstream, and which of them takes the next request: the one with the least of its places in use.
 *
 *   up ──5 failures in a row, or 3 probes──> out (30 s, 60 s … 300 s) ──> trial: one request ──> up, with few places first
 *   up ──"busy"──> paused until the time that it names ──> up
 *
 * A server that is out gets no request. Where all are out or paused, a request is refused at once and never waits.
 */
import { busy, closing } from "../../engine/runner.ts";
import { TransientSet } from "../../transient.ts";
import { allOut, type UpstreamFailure } from "./failure.ts";
import type { Address } from "./resolve-names.ts";
import {
  noteFailure,
  noteSuccess,
  type PoolLimits,
  pick,
  type Server,
  serverAt,
  stateOf,
  waitMs,
} from "./server-state.ts";

/** One request at a server. */
export type Lease = {
  server: Server;
  succeeded(latencyMs: number): void;
  failed(failure: UpstreamFailure): void;
  /** The place is free again. */
  release(): void;
};

type Waiter = {
  avoided: ReadonlySet<string>;
  resolve: (lease: Lease) => void;
  reject: (why: unknown) => void;
};

export type ServerPool = Disposable & {
  servers(): readonly Server[];
  /** Those that names resolve to at this time; requests to others continue. */
  replace(addresses: readonly Address[]): void;
  /** How many requests all of its servers take. */
  places(): number;
  take(signal: AbortSignal, avoided?: ReadonlySet<string>): Promise<Lease>;
  /** Null where no place is free at this time. */
  takeNow(): Lease | null;
};

type PoolOptions = { limits: PoolLimits; nowMs?: () => number; random?: () => number };

export function openServerPool({
  limits,
  nowMs = () => performance.now(),
  random = Math.random,
}: PoolOptions): ServerPool {
  return new OpenPool({ limits, nowMs, random });
}

class OpenPool implements ServerPool {
  readonly #options: Required<PoolOptions>;
  #servers: Server[] = [];
  readonly #waiting = new TransientSet<Waiter>();
  #timer: Timer | null = null;
  #isClosed = false;

  constructor(options: Required<PoolOptions>) {
    this.#options = options;
  }

  servers(): readonly Server[] {
    return this.#servers;
  }

  replace(addresses: readonly Address[]): void {
    const known = new Map(this.#servers.map((server) => [server.address.key, server]));
    this.#servers = addresses.map((address) => known.get(address.key) ?? serverAt(address));
    this.#feed();
  }

  places(): number {
    return Math.max(1, this.#servers.length) * this.#options.limits.inFlightMax;
  }

  take(signal: AbortSignal, avoided: ReadonlySet<string> = new Set()): Promise<Lease> {
    if (this.#isClosed) return Promise.reject(closing());
    if (signal.aborted) return Promise.reject(signal.reason);
    const { promise, resolve, reject } = Promise.withResolvers<Lease>();
    const waiter: Waiter = { avoided, resolve, reject };
    const leave = () => {
      this.#waiting.delete(waiter);
      reject(signal.reason);
    };
    signal.addEventListener("abort", leave, { once: true });
    this.#waiting.add(waiter);
    this.#feed();
    return promise.finally(() => signal.removeEventListener("abort", leave));
  }

  takeNow(): Lease | null {
    if (this.#isClosed) return null;
    const server = this.#pick(new Set());
    return server && this.#lease(server);
  }

  #pick(avoided: ReadonlySet<string>): Server | null {
    const { limits, nowMs, random } = this.#options;
    return pick(this.#servers, { limits, nowMs: nowMs(), avoided, random });
  }

  /** Starts those that wait, in turn, as far as there are places. */
  #feed(): void {
    for (const waiter of this.#waiting) {
      const server = this.#pick(waiter.avoided);
      const refusal = server === null ? this.#refusal() : null;
      if (server === null && refusal === null) continue;
      this.#waiting.delete(waiter);
      if (server) waiter.resolve(this.#lease(server));
      else waiter.reject(refusal);
    }
    if (this.#waiting.size > 0) this.#feedLater();
  }

  /** Null: a place will be free. */
  #refusal() {
    const nowMs = this.#options.nowMs();
    const ms = waitMs(this.#servers, nowMs);
    if (ms === null) return null;
    return this.#servers.some((server) => stateOf(server, nowMs) === "paused") ? busy(ms) : allOut(ms);
  }

  /** A place may become free by time alone: after a gap, a pause, or a slow start. */
  #feedLater(): void {
    if (this.#timer) return;
    const { limits } = this.#options;
    this.#timer = setTimeout(
      () => {
        this.#timer = null;
        this.#feed();
      },
      Math.max(20, limits.gapMs / 4),
    );
  }

  #lease(server: Server): Lease {
    const { nowMs } = this.#options;
    server.inFlight++;
    server.startedAtMs = nowMs();
    let isReleased = false;
    return {
      server,
      succeeded(latencyMs) {
        const before = server.latencyMs ?? latencyMs;
        server.latencyMs = before + (latencyMs - before) / 10;
        noteSuccess(server, nowMs());
      },
      failed: (failure) => noteFailure(server, failure, nowMs()),
      release: () => {
        if (isReleased) return;
        isReleased = true;
        server.inFlight--;
        this.#feed();
      },
    };
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    if (this.#timer) clearTimeout(this.#timer);
    for (const { reject } of this.#waiting) reject(closing());
    this.#waiting.clear();
  }
}
