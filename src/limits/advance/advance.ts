/**
 * A store of limits whose decisions a node takes in advance: of a busy organization it holds points and slots for a quarter
 * of a second, so that most requests are decided without a round trip.
 *
 *   decide ──> held here ──> admitted
 *      └─────> not held  ──> the store decides, takes back what is left, and lends for the next requests
 *
 * No limit is exceeded: what a node holds counts as taken until it is used or returned. It holds at most a thirty-second part
 * of the points and a sixteenth of the slots, and nothing of an organization that has used half of either. So requests may be
 * refused for that much less than the limit, for a quarter of a second, where they suddenly arrive at other nodes.
 */
import type { Clock } from "../../clock.ts";
import type { LimitStore } from "../limits.ts";
import { HeldLimits } from "./held-limits.ts";
import { HOLD_MS } from "./held-points.ts";

export function takeInAdvance(store: LimitStore, clock: Clock): LimitStore {
  const holder = { store, name: crypto.randomUUID() }; // names of nodes may be taken twice
  const organizations = new Map<string, HeldLimits>();

  function heldOf(organizationId: string): HeldLimits {
    const held = organizations.get(organizationId) ?? new HeldLimits(holder);
    organizations.set(organizationId, held);
    return held;
  }

  async function giveBack(heldMs: number): Promise<void> {
    const now = clock.now();
    for (const [organizationId, held] of organizations)
      if (held.isIdle(now)) organizations.delete(organizationId);
    await Promise.all(
      [...organizations].map(([organizationId, held]) => held.giveBack(organizationId, heldMs, now)),
    );
  }
  const givingBack = setInterval(() => void giveBack(HOLD_MS), HOLD_MS);

  return {
    decide: (ask) => heldOf(ask.organizationId).decide(ask, clock.now()),
    renew(organizationId, slotId, now) {
      const id = organizations.get(organizationId)?.slots.idOf(slotId) ?? slotId;
      return store.renew(organizationId, id, now);
    },
    async release(organizationId, slotId) {
      const slots = organizations.get(organizationId)?.slots;
      const id = slots ? slots.end(slotId, clock.now()) : slotId;
      if (id !== null) await store.release(organizationId, id);
    },
    async inFlight(organizationId, now) {
      const kept = organizations.get(organizationId)?.slots.count ?? 0;
      return Math.max(0, (await store.inFlight(organizationId, now)) - kept);
    },
    async [Symbol.asyncDispose]() {
      clearInterval(givingBack);
      await giveBack(0);
      await store[Symbol.asyncDispose]();
    },
  };
}
