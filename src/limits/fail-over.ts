/**
 * Limits that hold while the store that nodes share does not answer: this node counts by itself meanwhile, from what
 * the store said last. Nobody waits for it longer than 60 ms, and nobody is ever admitted without being counted.
 *
 *   asked ──> answered in time ──> that, and the node's own count follows it
 *      ├────> an error ──> its own count: an outage, one warning, until it answers again
 *      └────> nothing yet ──> its own count: no outage, for the answer may only be late
 */
import { setImmediate as turn } from "node:timers/promises";
import type { Log } from "../log.ts";
import type { LimitStore } from "./limits.ts";
import { openMemoryLimits } from "./memory.ts";

const TIMEOUTS_MS = 55;
/** After a busy event loop timers run before sockets are read: the answer may be there already. */
const TURNS = 3;
const ANY_NUMBER = 1_000_000; // of slots

type Attempt<T> = {
  asked: Promise<T>;
  /** Answers where the store does not. */
  own: () => Promise<T>;
  /** The store answered in time. */
  inTime?: (answer: T) => void;
  /** What the store answered when its own answer had been given already. */
  late?: (answer: T, own: T) => void;
};

/** `failed` is called for every decision that this node made by itself. */
export function failOver(store: LimitStore, log: Log, failed: () => void): LimitStore {
  const memory = openMemoryLimits();
  const attempt = attempts(log, failed);
  return {
    decide: (ask) =>
      attempt({
        asked: store.decide(ask),
        own: () => memory.decide(ask),
        inTime: (answer) => memory.follow(ask, answer),
        late(answer, own) {
          if (ask.slot && answer.refused === null && own.refused !== null)
            store.release(ask.organizationId, ask.slot.id).catch(() => {}); // its lease ends by itself
        },
      }),
    async renew(organizationId, slotId, now) {
      const kept = await memory.renew(organizationId, slotId, now);
      /** One that was held while the store did not answer is told to it now. */
      const rejoin = async () => {
        const slot = { id: slotId, max: ANY_NUMBER };
        return (await store.decide({ organizationId, now, take: [], slot })).refused === null;
      };
      const asked = store.renew(organizationId, slotId, now).then((held) => held || (kept && rejoin()));
      return attempt({ asked, own: async () => kept });
    },
    async release(organizationId, slotId) {
      await memory.release(organizationId, slotId);
      return attempt({ asked: store.release(organizationId, slotId), own: async () => {} });
    },
    inFlight: (organizationId, now) =>
      attempt({
        asked: store.inFlight(organizationId, now),
        own: () => memory.inFlight(organizationId, now),
      }),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}

/** Asks the store, and answers for it. */
function attempts(log: Log, failed: () => void) {
  let down = false;

  function answered(): void {
    if (down) log.info("limit_store_available");
    down = false;
  }
  function broke(cause: unknown): void {
    if (!down) log.warn("limit_store_unavailable", { cause });
    down = true;
  }

  return async function attempt<T>({ asked, own, inTime, late }: Attempt<T>): Promise<T> {
    const told = asked.then(
      (answer) => ({ answer }),
      (cause: unknown) => ({ cause }),
    );
    const first = await soon(told);
    if (first && "answer" in first) {
      answered();
      inTime?.(first.answer);
      return first.answer;
    }
    failed();
    const mine = await own();
    if (first) broke(first.cause);
    else
      void told.then((then) => {
        if ("cause" in then) return broke(then.cause);
        answered();
        late?.(then.answer, mine);
      });
    return mine;
  };
}

/** Null where nothing was told in time. */
async function soon<T>(told: Promise<T>): Promise<T | null> {
  const { promise: over, resolve } = Promise.withResolvers<null>();
  const timer = setTimeout(async () => {
    for (let turns = 0; turns < TURNS; turns++) await turn();
    resolve(null);
  }, TIMEOUTS_MS);
  try {
    return await Promise.race([told, over]);
  } finally {
    clearTimeout(timer);
  }
}
