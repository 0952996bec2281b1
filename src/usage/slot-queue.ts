/**
 * A short wait for a slot, in place of a refusal: many clients send sentence after sentence and never read `retry-after`.
 *
 *   org A: request 7 (asks again) ─ request 8 ─ request 9        released ──> the first asks again, then the next
 *
 * Requests of an organization take turns in the order of their arrival, and only the first of them asks the limit store:
 * when a slot is released here, and at intervals, because other nodes release slots too. A request waits a limited time,
 * a limited number of them wait, and one whose client leaves is removed at once.
 */

export type SlotQueue = {
  /** Whether requests of the organization wait, so that another must not overtake them. */
  isWaiting(organizationId: string): boolean;
  /** True once `ask` got a slot; false if there is no room to wait, or after the time limit. Rejects as `ask` does. */
  wait(
    organizationId: string,
    waiting: { ask: () => Promise<boolean>; signal: AbortSignal },
  ): Promise<boolean>;
  released(organizationId: string): void;
};

type QueueLimits = { waitMs: number; askAgainMs: number; organizationMax: number; waitingMax: number };

const LIMITS: QueueLimits = {
  waitMs: 3000, // well below the shortest time limit of common clients, 10 s
  askAgainMs: 250,
  organizationMax: 64, // of a request that waits, the headers are in memory, and what the client sent of its body
  waitingMax: 256,
};

type Waiting = { wake: () => void };

export function openSlotQueue(limits: Partial<QueueLimits> = {}): SlotQueue {
  const { waitMs, askAgainMs, organizationMax, waitingMax } = { ...LIMITS, ...limits };
  const queues = new Map<string, Waiting[]>();
  let length = 0;

  const wakeFirst = (organizationId: string) => queues.get(organizationId)?.[0]?.wake();

  function enter(organizationId: string, waiting: Waiting): Waiting[] | null {
    const queue = queues.get(organizationId) ?? [];
    if (queue.length >= organizationMax || length >= waitingMax) return null;
    length++;
    queue.push(waiting);
    queues.set(organizationId, queue);
    return queue;
  }
  function leave(organizationId: string, waiting: Waiting): void {
    const queue = queues.get(organizationId)!;
    length--;
    queue.splice(queue.indexOf(waiting), 1);
    if (queue.length === 0) queues.delete(organizationId);
    else wakeFirst(organizationId);
  }

  return {
    isWaiting: (organizationId) => queues.has(organizationId),
    released: wakeFirst,
    async wait(organizationId, { ask, signal }) {
      signal.throwIfAborted();
      const bell = openBell();
      const queue = enter(organizationId, bell);
      if (queue === null) return false;
      let isOver = false;
      const end = setTimeout(() => {
        isOver = true;
        bell.wake();
      }, waitMs);
      const again = setInterval(() => queue[0] === bell && bell.wake(), askAgainMs);
      signal.addEventListener("abort", bell.wake, { once: true });
      try {
        for (;;) {
          await bell.woken();
          signal.throwIfAborted();
          if (queue[0] === bell && (await ask())) return true;
          if (isOver) return false;
        }
      } finally {
        clearTimeout(end);
        clearInterval(again);
        signal.removeEventListener("abort", bell.wake);
        leave(organizationId, bell);
      }
    },
  };
}

/** `woken` resolves after the next `wake`, or at once if there was one since the last time. */
function openBell() {
  let next = Promise.withResolvers<void>();
  return {
    wake: () => next.resolve(),
    async woken() {
      await next.promise;
      next = Promise.withResolvers();
    },
  };
}
