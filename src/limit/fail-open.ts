/**
 * A limit store that cannot be reached limits nobody: requests are admitted within 60 ms, one warning is logged an
 * outage, and limiting goes on when the store is back.
 */
import type { Log } from "../log.ts";
import type { Answer, LimitStore } from "./limits.ts";

const PATIENCE_MS = 55;
const ADMITTED: Answer = { refused: null, levels: [] };

/** `failed` is called for every decision that was not made. */
export function failOpen(store: LimitStore, log: Log, failed: () => void): LimitStore {
  let down = false;
  async function attempt<T>(work: () => Promise<T>, otherwise: T): Promise<T> {
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => late.reject(new Error("no answer in time")), PATIENCE_MS);
    try {
      const answer = await Promise.race([work(), late.promise]);
      if (down) log.info("limits are counted again");
      down = false;
      return answer;
    } catch (cause) {
      failed();
      if (!down) log.warn("the limit store cannot be reached: nobody is limited", { cause });
      down = true;
      return otherwise;
    } finally {
      clearTimeout(timer);
    }
  }
  return {
    decide: (ask) => attempt(() => store.decide(ask), ADMITTED),
    renew: (organizationId, slotId, now) => attempt(() => store.renew(organizationId, slotId, now), true),
    release: (organizationId, slotId) => attempt(() => store.release(organizationId, slotId), undefined),
    inFlight: (organizationId, now) => attempt(() => store.inFlight(organizationId, now), 0),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}
