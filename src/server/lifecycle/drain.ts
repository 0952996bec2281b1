/**
 * How a server ends without interrupting its requests:
 *
 *   signal ──> draining ──lame duck──> closing ──all in flight ends──> stopped
 *                                         └──LOQUAT_DRAIN_SECONDS──> cut (503), then stopped
 *
 * In the lame-duck time load balancers see that the server is not ready, and clients that keep their connections learn to
 * open others, while every request is still answered.
 */
import type { Shutdown } from "../../api/middleware/shutdown.ts";
import { endsWithin } from "../../clock.ts";
import { closing } from "../../engine/runner.ts";
import type { Log } from "../../log/log.ts";

/** The parts of Bun's server that matter here. */
type Server = {
  pendingRequests: number;
  pendingWebSockets: number;
  closeIdleConnections(): unknown;
  stop(isAtOnce?: boolean): Promise<void>;
};

/** From the signal on. `lameDuckMs`: how much of that is the lame-duck time. */
type Limits = { drainMs: number; lameDuckMs: number };

export type Drain = {
  stages: Shutdown;
  /** How long it takes at most. */
  withinMs: number;
  /** Resolves when the server has stopped. `others`: what else ends with `closing`, and at the latest with `cut`. */
  run(server: Server, others: () => Promise<unknown>): Promise<void>;
};

const POLL_MS = 20;
/** How long responses to what was cut may take to be sent. */
const LAST_WORDS_MS = 2000;

export function openDrain({ lameDuckMs, drainMs }: Limits, log: Log): Drain {
  const [draining, closed, cut] = [new AbortController(), new AbortController(), new AbortController()];
  return {
    withinMs: drainMs + LAST_WORDS_MS,
    stages: { draining: draining.signal, closing: closed.signal, cut: cut.signal },
    async run(server, others) {
      const begun = performance.now();
      log.info("closing", loadOf(server));
      draining.abort();
      await Bun.sleep(Math.min(lameDuckMs, drainMs));
      closed.abort();
      leavePort(server);
      const ended = Promise.all([whenIdle(server), others()]);
      if (!(await endsWithin(drainMs - (performance.now() - begun), ended))) {
        log.warn("drain_incomplete", loadOf(server));
        cut.abort(closing());
        await endsWithin(LAST_WORDS_MS, ended);
      }
      await server.stop(true);
    },
  };
}

/** Listens no longer; connections whose answer is awaited stay until they have it. */
export function leavePort(server: Pick<Server, "closeIdleConnections" | "stop">): void {
  server.closeIdleConnections();
  void server.stop();
}

/** Resolves when every request is answered, or after a while: a client may not read. */
export async function whenAnswered(server: Load): Promise<void> {
  await endsWithin(LAST_WORDS_MS, whenIdle(server));
}

type Load = Pick<Server, "pendingRequests" | "pendingWebSockets">;

const loadOf = ({ pendingRequests, pendingWebSockets }: Load) => ({
  inFlight: pendingRequests,
  sessions: pendingWebSockets,
});

/** Counts requests and sessions, not connections: clients keep idle ones open for minutes. */
async function whenIdle(server: Load): Promise<void> {
  while (server.pendingRequests + server.pendingWebSockets > 0) await Bun.sleep(POLL_MS);
}
