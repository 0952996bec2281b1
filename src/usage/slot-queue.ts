/**
 * A short wait for a slot, in place of a refusal: many clients send sentence after sentence and never read `retry-after`.
 *
 *   organization A: request 7 (retries) ─ request 8 ─ request 9        released ──> the first retries, then the next
 *
 * Requests of an organization are admitted in the order of their arrival, and only the first of them retries: when a slot
 * is released here, and at intervals, because other nodes release slots too. The time that a request waits and the number
 * of those that wait are limited, and a request whose client leaves is removed at once.
 */

export type SlotQueue = {
  /** Whether requests of the organization are waiting; another must not overtake them. */
  isWaiting(organizationId: string): boolean;
  /** True once `takeSlot` succeeded; false if the queue is full or the time limit is over. Rejects as `takeSlot` does. */
  wait(
    organizationId: string,
    waiting: { takeSlot: () => Promise<boolean>; signal: AbortSignal },
  ): Promise<boolean>;
  /** To be called when a slot of the organization is released. */
  released(organizationId: string): void;
};

type QueueLimits = { waitMs: number; retryMs: number; organizationMax: number; waitingMax: number };

const LIMITS: QueueLimits = {
  waitMs: 3000, // well below the shortest time limit of common clients, 10 s
  retryMs: 250,
  organizationMax: 64, // a waiting request holds its headers in memory, and what was received of its body
  waitingMax: 256,
};

type Waiting = { wake: () => void };

export function openSlotQueue(limits: Partial<QueueLimits> = {}): SlotQueue {
  const { waitMs, retryMs, organizationMax, waitingMax } = { ...LIMITS, ...limits };
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
    async wait(organizationId, { takeSlot, signal }) {
      signal.throwIfAborted();
      const waker = openWaker();
      const queue = enter(organizationId, waker);
      if (queue === null) return false;
      let isOver = false;
      const end = setTimeout(() => {
        isOver = true;
        waker.wake();
      }, waitMs);
      const retry = setInterval(() => queue[0] === waker && waker.wake(), retryMs);
      signal.addEventListener("abort", waker.wake, { once: true });
      try {
        for (;;) {
          await waker.woken();
          signal.throwIfAborted();
          if (queue[0] === waker && (await takeSlot())) return true;
          if (isOver) return false;
        }
      } finally {
        clearTimeout(end);
        clearInterval(retry);
        signal.removeEventListener("abort", waker.wake);
        leave(organizationId, waker);
      }
    },
  };
}

/** `woken` resolves after the next `wake`, or at once if there was one since the last time. */
function openWaker() {
  let next = Promise.withResolvers<void>();
  return {
    wake: () => next.resolve(),
    async woken() {
      await next.promise;
      next = Promise.withResolvers();
    },
  };
}
