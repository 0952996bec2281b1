/**
 * The only path by which work costs money.
 *
 *   open ──> admit (503, 429, 402) ──> take (429) ──> work ──> post (the charge, durable) ──> the caller has the result
 *                                                                 end: the slot is free, the request is logged
 *
 * Every request that was opened is ended once, and holds its slot no longer than that.
 */
import type { Principal } from "../accounts/principal.ts";
import { unixSeconds } from "../clock.ts";
import { LEASE_MS } from "../limits/limits.ts";
import { TransientMap, TransientSet } from "../transient.ts";
import { allowedTo, askLimits, creditOf, type OnDecision } from "./admission.ts";
import type { Replays } from "./replays.ts";
import type { RequestContext } from "./request-log.ts";
import { openRefusals } from "./request-log.ts";
import { openSlotQueue, openSlotTimes, type SlotQueue } from "./slots.ts";
import { MeteredWork, type Slots, type Work, type WorkDeps } from "./work.ts";

export type Meter = AsyncDisposable & {
  open(context: RequestContext): Work;
  /** One point of the request bucket, for what costs no money and holds no slot. */
  takeRequest(principal: Principal, decided: OnDecision): Promise<void>;
};

type MeterDeps = Omit<WorkDeps, "refusals" | "slots" | "slotQueue" | "slotTimes" | "running"> & {
  slotQueue?: SlotQueue;
};

export function openMeter(deps: MeterDeps): Meter {
  const { limits, clock, remedies, slotQueue = openSlotQueue() } = deps;
  const refusals = openRefusals(clock);
  const slots: Slots = new TransientMap();
  const slotTimes = openSlotTimes(clock);
  const running = new TransientSet<Replays>();
  const workDeps: WorkDeps = { ...deps, refusals, slots, slotQueue, slotTimes, running };
  const renewal = setInterval(() => {
    for (const [slotId, organizationId] of slots) void limits.renew(organizationId, slotId, clock.now());
    for (const replays of running) replays.renew(unixSeconds(clock)).catch(() => {}); // it is renewed again
  }, LEASE_MS / 3);
  return {
    open: (context) => new MeteredWork(workDeps, context),
    async takeRequest(principal, decided) {
      deps.requireSpace();
      const allowed = allowedTo(principal, await creditOf(deps, principal, "recent"), deps);
      const asking = { principal, now: clock.now(), slotId: null, allowed, decided, remedies };
      await askLimits(limits, { ...asking, costs: { requests: 1 } });
    },
    async [Symbol.asyncDispose]() {
      clearInterval(renewal);
      await Promise.all([...slots].map(([slotId, organizationId]) => limits.release(organizationId, slotId)));
    },
  };
}
