/** Decisions of several nodes at one time: that of their database, however far apart their clocks are. */
import type { LimitStore } from "./limits.ts";

/** `skewMs`: by how much this node's clock is ahead. */
export function atCommonTime(store: LimitStore, skewMs: () => number): LimitStore {
  return {
    decide: (ask) => store.decide({ ...ask, now: ask.now - skewMs() }),
    renew: (organizationId, slotId, now) => store.renew(organizationId, slotId, now - skewMs()),
    release: (organizationId, slotId) => store.release(organizationId, slotId),
    inFlight: (organizationId, now) => store.inFlight(organizationId, now - skewMs()),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}
