/**
 * The part of the event loop that many small messages or requests may take, so that other work runs beside their handling.
 */

const TURN_MS = 4; // for all connections of a share together, before other work of the event loop runs
const UNWATCHED_MAX = 16;

/** A connection may deliver thousands of messages at once: they are handled for `TURN_MS` of an event-loop iteration. */
export type EventLoopShare = {
  /** Whether the next message has to wait for its turn. */
  isUsed(): boolean;
  turn(): Promise<void>;
};

/** Those who wait leave other work most of the time. */
export function openEventLoopShare(): EventLoopShare {
  let line = Promise.resolve();
  return {
    isUsed: openWindow(),
    turn() {
      line = line.then(() => new Promise((resolve) => setTimeout(resolve, 1)));
      return line;
    },
  };
}

/**
 * Those who wait continue in the next iteration, for `TURN_MS` of it: where there is no other work, nothing is lost. @internal
 */
export function openWholeShare(): EventLoopShare {
  const isUsed = openWindow();
  let waiting = 0;
  return {
    isUsed: () => waiting > 0 || isUsed(),
    turn() {
      waiting++;
      return new Promise((resolve) => {
        const next = () => {
          if (isUsed()) return void setImmediate(next);
          waiting--;
          resolve();
        };
        setImmediate(next);
      });
    },
  };
}

/**
 * Whether `TURN_MS` of this iteration have passed. The end of an iteration is awaited only once a few messages have come:
 * that costs about as much as the least of them.
 */
function openWindow(): () => boolean {
  let beganMs = 0;
  let unwatched = 0;
  let isWatched = false;
  const end = () => {
    [isWatched, unwatched] = [false, 0];
  };
  return () => {
    const nowMs = performance.now();
    if (isWatched) return nowMs - beganMs >= TURN_MS;
    if (++unwatched >= UNWATCHED_MAX || nowMs - beganMs >= TURN_MS) {
      [isWatched, beganMs] = [true, nowMs];
      setImmediate(end);
    }
    return false;
  };
}

const PROBES = ["/healthz", "/readyz"];

/**
 * Turns of HTTP requests. One connection may send thousands at once, which the runtime would answer before anything else.
 * Once requests have used their share of an event-loop iteration, the next ones wait for a later one, in the order of their
 * arrival. The runtime closes a connection that sends another request while one of its own waits.
 *
 * Null: the request is answered at once. Else resolves when it is its turn, to null, or where its client has
 * left to an empty response.
 */
export type RequestTurns = (request: Request) => Promise<Response | null> | null;

/** Probes take turns with each other only: they do not wait for a flood of other requests. */
export function openRequestTurns(): RequestTurns {
  const [probes, others] = [openWholeShare(), openWholeShare()];
  return (request) => {
    const share = isProbe(request) ? probes : others;
    return share.isUsed() ? turnOf(request, share) : null;
  };
}

async function turnOf({ signal }: Request, share: EventLoopShare): Promise<Response | null> {
  await share.turn();
  return signal.aborted ? new Response(null, { status: 503 }) : null;
}

function isProbe({ url }: Request): boolean {
  if (!url.endsWith("z")) return false;
  const path = url.startsWith("/") ? 0 : url.indexOf("/", "https://".length);
  return PROBES.includes(url.slice(path));
}
