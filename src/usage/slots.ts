/**
 * A wait for a slot, in place of a refusal: many clients send a folder of files at once and never read `retry-after`.
 *
 *   organization A: request 7 (retries) ─ request 8 ─ request 9        released ──> the first retries, then the next
 *
 * Requests of an organization are admitted in the order of their arrival, and only the first of them retries: when a slot
 * is released here, and at intervals, because other nodes release slots too. The time that a request waits is limited, and
 * one whose client leaves is removed at once. Their number is limited because each holds the beginning of its body in memory.
 */

import type { Clock } from "../clock.ts";
import { WAIT_MAX_MS } from "../errors.ts";
import { TransientMap } from "../transient.ts";

export type SlotQueue = {
  /** How many requests of the organization are waiting; another must not overtake them. */
  waiting(organizationId: string): number;
  /**
   * True once `takeSlot` succeeded; false if the queue is full or the time limit is over. Rejects as `takeSlot` does.
   * `waitMs`: a shorter time limit.
   */
  wait(
    organizationId: string,
    waiting: { takeSlot: () => boolean | Promise<boolean>; signal: AbortSignal; waitMs?: number },
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
  const queues = new TransientMap<string, Waiting[]>();
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

type Held = { begunMs: number; isSession: boolean };
type Organization = {
  held: TransientMap<string, Held>;
  meanMs: number | null;
  gapMs: number | null;
  releasedMs: number;
};

const WEIGHT = 0.2; // of the last one in a mean
const LATE = 0.1; // of the time that requests take: one that is later takes longer than they did

/**
 * When an organization will have a slot again, from what is under way here and how long its requests have taken.
 *
 *   slot 1   ████████████░░░░          expected end: as long as requests took lately
 *   slot 2   ██████░░░░░░░░░░          the second in the queue has this one
 *   overdue  ████████████████▓▓▓       requests take longer now: the pace at which slots are released counts
 *
 * Live sessions last from seconds to an hour: where they hold all slots, one that has lasted so long is expected to last as
 * long again.
 */
export type SlotTimes = {
  /** The request got a slot. */
  began(organizationId: string, id: string, isSession: boolean): void;
  /** It ended; without effect for one that got none. A refused one tells nothing of how long requests take. */
  ended(organizationId: string, id: string, isServed: boolean): void;
  /** Milliseconds until there is a slot for one behind so many others. */
  waitMs(organizationId: string, ahead: number): number;
  /** Whether live sessions hold all slots that are known. */
  areLive(organizationId: string): boolean;
};

/** Keeps nothing of an organization without a slot in use. */
export function openSlotTimes(clock: Clock): SlotTimes {
  const organizations = new TransientMap<string, Organization>();
  let meanMs: number | null = null; // of all of them

  return {
    began(organizationId, id, isSession) {
      const none = {
        held: new TransientMap<string, Held>(),
        meanMs: null,
        gapMs: null,
        releasedMs: clock.now(),
      };
      const organization = organizations.get(organizationId) ?? none;
      organizations.set(organizationId, organization);
      organization.held.set(id, { begunMs: clock.now(), isSession });
    },
    ended(organizationId, id, isServed) {
      const organization = organizations.get(organizationId);
      const request = organization?.held.get(id);
      if (!organization || !request) return;
      organization.held.delete(id);
      if (organization.held.size === 0) organizations.delete(organizationId);
      if (request.isSession) return;
      const nowMs = clock.now();
      const tookMs = nowMs - request.begunMs;
      if (isServed) {
        meanMs = averaged(meanMs, tookMs);
        organization.meanMs = averaged(organization.meanMs, tookMs);
      }
      organization.gapMs = averaged(organization.gapMs, nowMs - organization.releasedMs);
      organization.releasedMs = nowMs;
    },
    waitMs(organizationId, ahead) {
      const organization = organizations.get(organizationId);
      if (!organization) return meanMs ?? 0; // other nodes hold them
      const held = [...organization.held.values()];
      const requests = held.filter(({ isSession }) => !isSession);
      const nowMs = clock.now();
      if (requests.length === 0) return nowMs - Math.min(...held.map(({ begunMs }) => begunMs));
      return expectedMs(organization, { requests, ahead, meanMs, nowMs });
    },
    areLive(organizationId) {
      const held = organizations.get(organizationId)?.held;
      return held !== undefined && [...held.values()].every(({ isSession }) => isSession);
    },
  };
}

type Queue = { requests: Held[]; ahead: number; meanMs: number | null; nowMs: number };

function expectedMs(organization: Organization, { requests, ahead, meanMs, nowMs }: Queue): number {
  const elapsed = requests.map(({ begunMs }) => nowMs - begunMs).sort((one, other) => other - one);
  const round = Math.floor(ahead / requests.length);
  const elapsedMs = elapsed[ahead % requests.length]!;
  const tookMs = organization.meanMs ?? meanMs ?? 2 * elapsedMs; // unknown: half of it is done
  const leftMs = tookMs - elapsedMs;
  if (leftMs >= -LATE * tookMs) return round * tookMs + Math.max(0, leftMs);
  const { gapMs, releasedMs } = organization;
  return gapMs === null ? elapsedMs : Math.max(0, (ahead + 1) * gapMs - (nowMs - releasedMs));
}

const averaged = (mean: number | null, last: number): number =>
  mean === null ? last : mean + WEIGHT * (last - mean);
