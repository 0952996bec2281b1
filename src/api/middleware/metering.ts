/** A metered route: who calls, may they, and what became of it. Whatever is thrown ends the work it was thrown from. */
import type { Principal, Scope } from "../../accounts/principal.ts";
import type { Log } from "../../log.ts";
import type { Budget, Holding } from "../../memory/budget.ts";
import type { WorkBucket } from "../../usage/admission.ts";
import type { Meter } from "../../usage/meter.ts";
import type { Work } from "../../usage/work.ts";
import { type Authentication, requireScope } from "./authentication.ts";
import type { CallerOf } from "./client-address.ts";
import { toFault } from "./faults.ts";
import type { Ending } from "./stream.ts";

/** What a handler of the framework is called with, as far as this needs it. */
type Call = {
  request: Request;
  server: {
    timeout(request: Request, seconds: number): void;
    requestIP(request: Request): { address: string } | null;
  } | null;
  set: { headers: Record<string, string | number> };
};

/** `holding` is what the request keeps in memory; it ends with the work. */
type Admitted = { id: string; principal: Principal; work: Work; holding: Holding };

type MeteredParts = { access: Authentication; meter: Meter; budget: Budget; callerOf: CallerOf };

export type MeteredRoutes = (
  call: Call,
  route: { endpoint: string; scope: Scope; bucket: WorkBucket },
  handle: (admitted: Admitted) => Promise<Response>,
) => Promise<Response>;

/** The longest that an answer which is ready whole may wait for its reader to take some of it. */
const UNREAD_SECONDS = 60;

/** A handler that answers a stream ends its work when the stream ends; any other before it answers. */
export function openMetered({ access, meter, budget, callerOf }: MeteredParts): MeteredRoutes {
  return async ({ request, server, set }, { endpoint, scope, bucket }, handle) => {
    server?.timeout(request, 0); // long work is silent until it has something to say
    const principal = await access(request, null);
    const id = set.headers["x-request-id"] as string;
    const holding = budget.open(principal.organizationId);
    let isUnderWay = true;
    const work = meter.open({
      id,
      principal,
      endpoint,
      method: request.method,
      bucket,
      ip: callerOf(request, server),
      userAgent: request.headers.get("user-agent")?.slice(0, 256) ?? null,
      headers: set.headers,
      ended() {
        isUnderWay = false;
        holding.release();
      },
    });
    try {
      requireScope(principal, scope);
      await work.admit();
      const response = await handle({ id, principal, work, holding });
      if (!isUnderWay) server?.timeout(request, UNREAD_SECONDS); // a stream looks after its reader itself
      return response;
    } catch (error) {
      const { status, code } = toFault(error);
      if (request.signal.aborted) work.end(499);
      else work.end(status, code);
      throw error;
    }
  };
}

/** Ends a work as its stream ended; why one failed under way stands in the log, for its client is told little. */
export function endAs({ id, work, log }: { id: string; work: Work; log: Log }, ending: Ending): void {
  if (ending.status === 502) log.error("stream_failed", { id, cause: ending.cause });
  work.end(ending.status, ending.status === 502 ? "stream_interrupted" : null);
}
