/**
 * Metering of a route: authenticates, admits, and ends the request's work, also when its handler throws or its client
 * leaves.
 */
import type { Principal } from "../../accounts/principal.ts";
import type { Claim } from "../../engine/runner.ts";
import type { Log } from "../../log/log.ts";
import type { Budget, Holding } from "../../memory/budget.ts";
import type { Ending } from "../../metered/ending.ts";
import type { Scope } from "../../scopes.ts";
import { type Tracing, traceFields } from "../../tracing/tracing.ts";
import { TransientSet } from "../../transient.ts";
import type { WorkBucket } from "../../usage/admission.ts";
import type { Meter } from "../../usage/meter.ts";
import type { Work } from "../../usage/work.ts";
import { checkKey, repeatingOf } from "./body/idempotency.ts";
import { type Authentication, type CallerOf, endUserIn, requireScope, userAgentOf } from "./caller.ts";
import { toFault } from "./faults.ts";
import { REPLAYED, rateLimitHeaders } from "./response-headers.ts";

/** The part of the framework's handler context that is used. Routes pass no more of it: the framework makes what is named. */
export type MeteredCall = { request: Request; set: { headers: Record<string, string | number> } };

/** The part of the listening server that is used. */
type Server = {
  timeout(request: Request, seconds: number): void;
  requestIP(request: Request): { address: string } | null;
};

/**
 * `holding`: the memory that the request holds; released when its work ends. `signal`: the client left, or the server
 * cannot wait any longer.
 */
export type Admitted = {
  id: string;
  principal: Principal;
  work: Work;
  holding: Holding;
  signal: AbortSignal;
};

/** The claim of an admitted request on an engine. */
export const claimOf = (
  { id, principal, work, signal }: Pick<Admitted, "id" | "principal" | "work" | "signal">,
  urgency: Claim["urgency"],
): Claim => ({
  urgency,
  organization: principal.organizationId,
  request: id,
  signal,
  trace: work.trace,
});

type MeteredDeps = {
  access: Authentication;
  meter: Meter;
  budget: Budget;
  callerOf: CallerOf;
  /** Ends what is under way, with its reason. */
  cut: AbortSignal;
  tracing: Tracing | null;
  /** Null before it listens. */
  server: () => Server | null;
};

export type MeteredRoutes = (
  call: MeteredCall,
  route: { endpoint: string; scope: Scope; bucket: WorkBucket },
  handle: (admitted: Admitted) => Promise<Response>,
) => Promise<Response>;

/** How long a complete response may wait for the client to read more of it. */
const UNREAD_SECONDS = 60;

/** A streaming handler ends its work with the stream; any other ends it before responding. */
export function openMetered(deps: MeteredDeps): MeteredRoutes {
  const { access, meter, budget, callerOf, cut, tracing } = deps;
  const underWay = openUnderWay(cut);
  return async ({ request, set }, { endpoint, scope, bucket }, handle) => {
    const server = deps.server();
    server?.timeout(request, 0); // long work sends nothing for a while
    const principal = await access(request, null);
    const id = set.headers["x-request-id"] as string;
    const holding = budget.open(principal.organizationId);
    const { signal, unlessCut, left } = underWay.enter(request.signal);
    let isUnderWay = true;
    const work = meter.open({
      id,
      principal,
      endpoint,
      method: request.method,
      bucket,
      ip: callerOf(request, server),
      userAgent: userAgentOf(request),
      endUser: endUserIn(request, principal.endUserHeader),
      signal,
      trace: tracing?.open({ id, endpoint, method: request.method }, request) ?? null,
      repeating: repeatingOf(request),
      replayed: () => {
        set.headers[REPLAYED] = "true";
      },
      decided: (states) => Object.assign(set.headers, rateLimitHeaders(states)),
      ended() {
        isUnderWay = false;
        left();
        holding.release();
      },
    });
    try {
      requireScope(principal, scope);
      checkKey(request);
      await work.admit();
      const response = await unlessCut(work, handle({ id, principal, work, holding, signal }));
      if (!isUnderWay) server?.timeout(request, UNREAD_SECONDS); // a stream has its own timeout
      return response;
    } catch (error) {
      if (request.signal.aborted) work.end(499);
      else endWithError(work, error);
      throw error;
    }
  };
}

export function endWithError(work: Work, error: unknown): void {
  const { status, code, message } = toFault(error);
  work.note({ errorMessage: message });
  work.end(status, code);
}

const ENDING_CODES = { 200: null, 499: null, 502: "stream_interrupted", 503: "service_unavailable" } as const;

/** Ends work with the outcome of its stream. The cause of a failure is logged, since the client sees little of it. */
export function endAs({ id, work, log }: { id: string; work: Work; log: Log }, ending: Ending): void {
  if (ending.status === 502)
    log.error("stream_failed", { id, ...traceFields(work.trace), cause: ending.cause });
  work.end(ending.status, ENDING_CODES[ending.status]);
}

type UnderWay = {
  signal: AbortSignal;
  /**
   * The result, or a rejection as soon as the request is cut: an engine may end its task much later. Where a charge is
   * being written, its response is sent.
   */
  unlessCut<T>(work: { isCharging(): boolean }, result: Promise<T>): Promise<T>;
  /** The request has ended. */
  left(): void;
};

/**
 * The requests under way, each with a signal that aborts when its client leaves or when the server cannot wait any
 * longer. Not `AbortSignal.any`, which would keep every request's signal for as long as the server runs.
 */
function openUnderWay(cut: AbortSignal): { enter(client: AbortSignal): UnderWay } {
  const cutters = new TransientSet<() => void>();
  cut.addEventListener("abort", () => {
    for (const cutOff of cutters) cutOff();
  });
  return {
    enter(client) {
      const controller = new AbortController();
      const leave = () => controller.abort(client.reason);
      if (client.aborted) leave();
      client.addEventListener("abort", leave, { once: true });
      const cutOff = () => controller.abort(cut.reason);
      if (cut.aborted) cutOff();
      cutters.add(cutOff);
      return {
        signal: controller.signal,
        unlessCut(work, result) {
          const { promise: late, reject } = Promise.withResolvers<never>();
          const refuse = () => cut.aborted && !work.isCharging() && reject(cut.reason);
          controller.signal.addEventListener("abort", refuse, { once: true });
          refuse();
          return Promise.race([result, late]);
        },
        left() {
          cutters.delete(cutOff);
          client.removeEventListener("abort", leave);
        },
      };
    },
  };
}
