/** Metering of a route: authenticates, admits, and ends the request's work, also when its handler throws. */
import type { Principal, Scope } from "../../accounts/principal.ts";
import type { Log } from "../../log.ts";
import type { Budget, Holding } from "../../memory/budget.ts";
import type { WorkBucket } from "../../usage/admission.ts";
import type { Meter } from "../../usage/meter.ts";
import type { Work } from "../../usage/work.ts";
import { type Authentication, requireScope } from "./authentication.ts";
import type { CallerOf } from "./client-address.ts";
import { toFault } from "./faults.ts";
import { rateLimitHeaders } from "./rate-limit-headers.ts";
import type { Ending } from "./stream.ts";

/** The part of the framework's handler context that is used. */
type Call = {
  request: Request;
  server: {
    timeout(request: Request, seconds: number): void;
    requestIP(request: Request): { address: string } | null;
  } | null;
  set: { headers: Record<string, string | number> };
};

/** `holding`: the memory that the request holds; released when its work ends. */
export type Admitted = { id: string; principal: Principal; work: Work; holding: Holding };

type MeteredDeps = { access: Authentication; meter: Meter; budget: Budget; callerOf: CallerOf };

export type MeteredRoutes = (
  call: Call,
  route: { endpoint: string; scope: Scope; bucket: WorkBucket },
  handle: (admitted: Admitted) => Promise<Response>,
) => Promise<Response>;

/** How long a complete response may wait for the client to read more of it. */
const UNREAD_SECONDS = 60;

/** A streaming handler ends its work with the stream; any other ends it before responding. */
export function openMetered({ access, meter, budget, callerOf }: MeteredDeps): MeteredRoutes {
  return async ({ request, server, set }, { endpoint, scope, bucket }, handle) => {
    server?.timeout(request, 0); // long work sends nothing for a while
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
      signal: request.signal,
      decided: (states) => Object.assign(set.headers, rateLimitHeaders(states)),
      ended() {
        isUnderWay = false;
        holding.release();
      },
    });
    try {
      requireScope(principal, scope);
      await work.admit();
      const response = await handle({ id, principal, work, holding });
      if (!isUnderWay) server?.timeout(request, UNREAD_SECONDS); // a stream has its own timeout
      return response;
    } catch (error) {
      const { status, code, message } = toFault(error);
      if (request.signal.aborted) work.end(499);
      else {
        work.note({ errorMessage: message });
        work.end(status, code);
      }
      throw error;
    }
  };
}

/** Ends work with the outcome of its stream. The cause of a failure is logged, since the client sees little of it. */
export function endAs({ id, work, log }: { id: string; work: Work; log: Log }, ending: Ending): void {
  if (ending.status === 502) log.error("stream_failed", { id, cause: ending.cause });
  work.end(ending.status, ending.status === 502 ? "stream_interrupted" : null);
}
