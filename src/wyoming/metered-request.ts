/** One request of a connection as the meter sees it: admitted before it costs anything, ended once whatever happens. */
import type { Principal, Scope } from "../accounts/principal.ts";
import { requireScope } from "../api/middleware/authentication.ts";
import { toFault } from "../api/middleware/faults.ts";
import type { Clock } from "../clock.ts";
import type { Claim } from "../engine/claim.ts";
import { newId } from "../ids.ts";
import type { Budget, Holding } from "../memory/budget.ts";
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
};

/** The client: `signal` aborts when it is gone, and `send` waits until it has read enough. */
export type Peer = { ip: string | null; signal: AbortSignal; send(event: WyomingEvent): Promise<void> };

export type RequestKind = { endpoint: string; scope: Scope; bucket: WorkBucket };

export type MeteredRequest = { id: string; work: Work; holding: Holding; claim: Claim };

/** Takes a point of the request bucket and a slot, and checks the credit, as for a request over HTTP. */
export async function openRequest(
  { principal: identify, meter, budget, clock }: MeteringDeps,
  { scope, ...kind }: RequestKind,
  { ip, signal }: Peer,
): Promise<MeteredRequest> {
  const principal = await identify();
  const { organizationId } = principal;
  const id = newId("req", clock);
  const holding = budget.open(organizationId);
  const context = { id, principal, ...kind, method: "TCP", ip, userAgent: null, signal };
  const work = meter.open({ ...context, ended: () => holding.release() });
  const claim: Claim = { urgency: "streaming", organization: organizationId, request: id, signal };
  const request = { id, work, holding, claim };
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
  const { status, code, message } = toFault(error);
  if (claim.signal.aborted) leave(work);
  else {
    work.note({ errorMessage: message });
    work.end(status, code);
  }
}

/** The client left before the request was complete. */
export const leave = (work: Work): void => work.end(499);
