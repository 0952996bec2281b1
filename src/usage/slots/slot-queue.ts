/**
 * A wait for a slot, in place of a refusal: many clients send a folder of files at once and never read `retry-after`.
 *
 *   organization A: request 7 (retries) ─ request 8 ─ request 9        released ──> the first retries, then the next
 *
 * Requests of an organization are admitted in the order of their arrival, and only the first of them retries: when a slot
 * is released here, and at intervals, because other nodes release slots too. The time that a request waits is limited, and
 * one whose client leaves is removed at once. Their number is limited because each holds the beginning of its body in memory.
 */
import { WAIT_MAX_MS } from "../../errors.ts";

export type SlotQueue = {
  /** How many requests of the organization are waiting; another must not overtake them. */
  waiting(organizationId: string): number;
  /**
   * True once `takeSlot` succeeded; false if the queue is full or the time limit is over. Rejects as `takeSlot` does.
   * `waitMs`: a shorter time limit.
   */
  wait(
    organizationId: string,
    waiting: { takeSlot: () => Promise<boolean>; signal: AbortSignal; waitMs?: number },
  ): Promise<boolean>;
  /** To be called when a slot of the organization is released. */
  released(organizationId: string): void;
};

type QueueLimits = { waitMs: number; retryMs: number; organizationMax: number; waitingMax: number };

const LIMITS: QueueLimits = {
  waitMs: WAIT_MAX_MS,
  retryMs: 250,
  organizationMax: 256, // a waiting request holds its headers in memory, and up to 1.5 MB of its body
  waitingMax: 512,
};

type Waiting = { wake: () => void };

export function openSlotQueue(limits: Partial<QueueLimits> = {}): SlotQueue {
  const { waitMs: longestMs, retryMs, organizationMax, waitingMax } = { ...LIMITS, ...limits };
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
    waiting: (organizationId) => queues.get(organizationId)?.length ?? 0,
    released: wakeFirst,
    async wait(organizationId, { takeSlot, signal, waitMs = longestMs }) {
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
