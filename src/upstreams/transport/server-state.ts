/**
 * One server of an upstream: what is known of it, how that changes with each result, and which of several is picked. Without
 * a clock: times are passed in.
 */
import {
  isOut,
  noteFault,
  noteWork,
  putOut,
  type Standing,
  unblemished,
} from "../../engine/answers/standing.ts";
import type { UpstreamFailure } from "./failure.ts";
import type { Address } from "./resolve-names.ts";

export type ServerState = "up" | "trial" | "paused" | "out";

export type Server = Standing & {
  address: Address;
  inFlight: number;
  probesFailed: number;
  pausedUntilMs: number;
  /** It came back then, and gets more requests from then on; null: it has been up for long. */
  backAtMs: number | null;
  startedAtMs: number;
  /** To the first byte, averaged over the last requests; null: none succeeded yet. */
  latencyMs: number | null;
  succeeded: number;
  failed: number;
  lastFailure: string | null;
};

export type PoolLimits = { inFlightMax: number; gapMs: number };

const PROBES_FAILED_MAX = 3;
const WAIT_MS = 30_000; // where there are no servers
const PAUSE_MS = 5000;
const SLOW_START_MS = 10_000;

export const serverAt = (address: Address): Server => ({
  ...unblemished(),
  address,
  inFlight: 0,
  probesFailed: 0,
  pausedUntilMs: 0,
  backAtMs: null,
  startedAtMs: Number.NEGATIVE_INFINITY,
  latencyMs: null,
  succeeded: 0,
  failed: 0,
  lastFailure: null,
});

export function stateOf(server: Server, nowMs: number): ServerState {
  if (isOut(server, nowMs)) return "out";
  if (server.pausedUntilMs > nowMs) return "paused";
  return server.isTrial ? "trial" : "up";
}

/** How many requests it may have at this time. */
function placesOf({ isTrial, backAtMs }: Server, { inFlightMax }: PoolLimits, nowMs: number): number {
  if (isTrial) return 1;
  if (backAtMs === null) return inFlightMax;
  const part = Math.min(1, (nowMs - backAtMs) / SLOW_START_MS);
  return Math.max(1, Math.floor(inFlightMax * part));
}

type Choice = { limits: PoolLimits; nowMs: number; avoided: ReadonlySet<string>; random: () => number };

/** Null: none of them has a place. Those to avoid are taken where there is no other that works. */
export function pick(servers: readonly Server[], { limits, nowMs, avoided, random }: Choice): Server | null {
  const working = servers.filter((server) => !["out", "paused"].includes(stateOf(server, nowMs)));
  const others = working.filter(({ address }) => !avoided.has(address.key));
  const free = (others.length > 0 ? others : working).filter(
    (server) =>
      server.inFlight < placesOf(server, limits, nowMs) && nowMs - server.startedAtMs >= limits.gapMs,
  );
  const loadOf = (server: Server) => server.inFlight / placesOf(server, limits, nowMs);
  const least = Math.min(...free.map(loadOf));
  const ties = free.filter((server) => loadOf(server) === least);
  const any = () => ties[Math.floor(random() * ties.length)];
  const [one, other] = [any(), any()];
  if (!one || !other) return null;
  return (other.latencyMs ?? 0) < (one.latencyMs ?? 0) ? other : one;
}

/** After how long a server may be tried again; null where one can be used. */
export function waitMs(servers: readonly Server[], nowMs: number): number | null {
  if (servers.length === 0) return WAIT_MS;
  const waits = servers.map(({ outUntilMs, pausedUntilMs }) => Math.max(outUntilMs, pausedUntilMs) - nowMs);
  const least = Math.min(...waits);
  return least > 0 ? least : null;
}

export function noteSuccess(server: Server, nowMs: number): void {
  server.succeeded++;
  if (noteWork(server)) server.backAtMs = nowMs;
}

export function noteFailure(server: Server, failure: UpstreamFailure, nowMs: number): void {
  if (failure.kind === "rejected") return; // of this request, not of the server
  server.lastFailure = failure.message.slice(0, 200);
  if (failure.kind === "busy") {
    server.pausedUntilMs = nowMs + (failure.retryAfterMs ?? PAUSE_MS);
    return;
  }
  server.failed++;
  noteFault(server, nowMs);
}

/** Of a health check. It takes a server out, and ends what another health check began. */
export function noteProbe(server: Server, succeeded: boolean, nowMs: number): void {
  if (succeeded) {
    if (server.probesFailed >= PROBES_FAILED_MAX) server.outUntilMs = nowMs;
    server.probesFailed = 0;
    return;
  }
  server.probesFailed++;
  if (server.probesFailed < PROBES_FAILED_MAX || server.outUntilMs > nowMs) return;
  server.lastFailure = "it does not answer health checks";
  putOut(server, nowMs);
}
