/**
 * Turns of HTTP requests. One connection may send thousands at once, which the runtime would answer before anything else.
 * Once requests have used their share of an event-loop iteration, the next ones wait for a later one, in the order of their
 * arrival. The runtime closes a connection that sends another request while one of its own waits.
 */
import { type EventLoopShare, openWholeShare } from "./event-loop-share.ts";

const PROBES = ["/healthz", "/readyz"];

/**
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
