/**
 * Falls back to local limits while the shared store is unavailable: this node counts by itself, starting from what the
 * store last answered. A request waits 60 ms at most, and is always counted.
 *
 *   decide ──> answer in time ──> that answer; the local count follows it
 *      ├─────> error          ──> the local count: an outage, logged once until the store answers again
 *      └─────> no answer yet  ──> the local count: not an outage, the answer may only be late
 */
import { setImmediate as turn } from "node:timers/promises";
import type { Log } from "../log/log.ts";
import type { Ask, LimitStore } from "./limits.ts";
import { openMemoryLimits } from "./memory.ts";

const TIMEOUT_MS = 55;
/** After a busy event loop, timers run before sockets are read: gives an answer that has arrived a chance. */
const TURNS = 3;
const ANY_NUMBER = 1_000_000; // of slots

type Attempt<T> = {
  asked: Promise<T>;
  /** The local count, which answers when the store does not. */
  local: () => Promise<T>;
  /** The store answered in time. */
  inTime?: (answer: T) => void;
  /** The store answered after the local count was used. */
  late?: (answer: T, local: T) => void;
};

/** `failed` is called for every decision that was made locally. */
export function failOver(store: LimitStore, log: Log, failed: () => void): LimitStore {
  const memory = openMemoryLimits();
  const attempt = attempts(log, failed);
  return {
    decide: (ask) =>
      attempt({
        asked: Promise.resolve(store.decide(ask)),
        local: async () => ({ ...(await memory.decide(withoutExchanges(ask))), isLocal: true }),
        inTime: (answer) => memory.follow(ask, answer),
        late(answer, local) {
          if (ask.slot && answer.refused === null && local.refused !== null)
            store.release(ask.organizationId, ask.slot.id).catch(() => {}); // otherwise its lease expires
        },
      }),
    async renew(organizationId, slotId, now) {
      const kept = await memory.renew(organizationId, slotId, now);
      /** Passes a slot that was taken during an outage on to the store. */
      const rejoin = async () => {
        const slot = { id: slotId, max: ANY_NUMBER };
        return (await store.decide({ organizationId, now, take: [], slot })).refused === null;
      };
      const asked = store.renew(organizationId, slotId, now).then((held) => held || (kept && rejoin()));
      return attempt({ asked, local: async () => kept });
    },
    async release(organizationId, slotId) {
      await memory.release(organizationId, slotId);
      return attempt({ asked: store.release(organizationId, slotId), local: async () => {} });
    },
    inFlight: (organizationId, now) =>
      attempt({
        asked: store.inFlight(organizationId, now),
        local: () => memory.inFlight(organizationId, now),
      }),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}

/** Loans are the shared store's: only it can take them back. */
const withoutExchanges = (ask: Ask): Ask => ({
  ...ask,
  take: ask.take.map(({ exchange: _, ...take }) => take),
});

/** Asks the store, and falls back to the local count. */
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

  return async function attempt<T>({ asked, local, inTime, late }: Attempt<T>): Promise<T> {
    const outcome = asked.then(
      (answer) => ({ answer }),
      (cause: unknown) => ({ cause }),
    );
    const first = await soon(outcome);
    if (first && "answer" in first) {
      answered();
      inTime?.(first.answer);
      return first.answer;
    }
    failed();
    const mine = await local();
    if (first) broke(first.cause);
    else
      void outcome.then((then) => {
        if ("cause" in then) return broke(then.cause);
        answered();
        late?.(then.answer, mine);
      });
    return mine;
  };
}

/** Null if no answer arrived in time. */
async function soon<T>(outcome: Promise<T>): Promise<T | null> {
  const { promise: over, resolve } = Promise.withResolvers<null>();
  const timer = setTimeout(async () => {
    for (let turns = 0; turns < TURNS; turns++) await turn();
    resolve(null);
  }, TIMEOUT_MS);
  try {
    return await Promise.race([outcome, over]);
  } finally {
    clearTimeout(timer);
  }
}
