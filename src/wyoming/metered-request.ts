/** One request of a connection as the meter sees it: admitted before it costs anything, ended once whatever happens. */
import type { Principal } from "../accounts/principal.ts";
import { requireScope } from "../api/middleware/caller.ts";
import { endWithError } from "../api/middleware/metering.ts";
import type { Clock } from "../clock.ts";
import type { Claim } from "../engine/runner.ts";
import { Refusal } from "../errors.ts";
import { newId } from "../ids.ts";
import type { Budget, Holding } from "../memory/budget.ts";
import type { Scope } from "../scopes.ts";
import type { Tracing } from "../tracing/tracing.ts";
import type { WorkBucket } from "../usage/admission.ts";
import type { Meter } from "../usage/meter.ts";
import type { Work } from "../usage/work.ts";
import type { WyomingEvent } from "./framing.ts";

export type MeteringDeps = {
  /** Whom all requests belong to. Throws where that key is no longer valid. */
  principal: () => Promise<Principal>;
  meter: Meter;
  budget: Budget;
  clock: Clock;
  tracing: Tracing | null;
};

/** The client: `signal` aborts when it is gone, and `send` waits until it has read enough. */
export type Peer = { ip: string | null; signal: AbortSignal; send(event: WyomingEvent): Promise<void> };

export type RequestKind = { endpoint: string; scope: Scope; bucket: WorkBucket };

export type MeteredRequest = {
  id: string;
  principal: Principal;
  work: Work;
  holding: Holding;
  claim: Claim;
};

/** Takes a point of the request bucket and a slot, and checks the credit, as for a request over HTTP. */
export async function openRequest(
  { principal: identify, meter, budget, clock, tracing }: MeteringDeps,
  { scope, ...kind }: RequestKind,
  { ip, signal }: Peer,
): Promise<MeteredRequest> {
  const principal = await identify();
  const { organizationId } = principal;
  const id = newId("req", clock);
  const holding = budget.open(organizationId);
  const trace = tracing?.open({ id, method: "TCP", endpoint: kind.endpoint }, null) ?? null;
  const context = { id, principal, ...kind, method: "TCP", ip, userAgent: null, signal, trace };
  const work = meter.open({ ...context, ended: () => holding.release() });
  const claim: Claim = { urgency: "streaming", organization: organizationId, request: id, signal, trace };
  const request = { id, principal, work, holding, claim };
  return ending(request, async () => {
    requireScope(principal, scope);
    await work.admit();
    return request;
  });
}

/** Ends the request if the step fails. */
export async function ending<T>(request: MeteredRequest, step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    fail(request, error);
    throw error;
  }
}

/** Ends the request with the error, or as left by a client that is gone. Has no effect on one that has ended. */
export function fail({ work, claim }: MeteredRequest, error: unknown): void {
  if (claim.signal.aborted) leave({ work, claim });
  else endWithError(work, error);
}

/** Its connection was closed before the request was complete: by the client, or for a reason of the server's. */
export function leave({ work, claim }: Pick<MeteredRequest, "work" | "claim">): void {
  const { reason } = claim.signal;
  if (reason instanceof Refusal) endWithError(work, reason);
  else work.end(499);
}
