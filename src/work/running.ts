/**
 * What this process is doing: rows that it has leases of, within its slots, until each attempt has ended.
 *
 *   claimed ──> attempt ──over──> the next of its group claimed, in the same slot ──> settled
 */

import type { Clock } from "../clock.ts";
import type { NewWork, WorkRow, WorkRows } from "../db/queries/work-rows.ts";
import type { Log } from "../log/log.ts";
import { attemptRow, type Handler } from "./attempt.ts";
import { type Ended, type Rules, roomFor } from "./decisions.ts";

const LEASE_MS = 30_000;
const RENEW_MS = 10_000;

type RunningDeps = { rows: WorkRows; node: string; nodeMax: number; clock: Clock; log: Log };

/** The attempts that are under way, each in a slot. `ended`: called after each. */
function openAttempts(deps: RunningDeps & { slots: Slots }, ended: () => void) {
  const { rows, node, clock, slots } = deps;
  const running = new Map<string, { row: WorkRow; stopping: AbortController; end: Promise<Ended> }>();
  let ends = 0;
  let isStopped = false;

  /** Where the group is full, so that rows of it may wait, and slots are free, so that no other group waits for one. */
  function isFollowed({ kind, group }: WorkRow, { rules }: Handler): boolean {
    if (group === "" || !slots.isFree(kind, rules)) return false;
    const ofGroup = [...running.values()].filter(({ row }) => row.kind === kind && row.group === group);
    return ofGroup.length >= rules.groupAtOnce;
  }

  /** A failure is left to the next look. */
  function nextAfter(row: WorkRow): Promise<WorkRow | null> {
    const nowMs = clock.now();
    const claim = { node, nowMs, leaseUntilMs: nowMs + LEASE_MS, except: [...running.keys()] };
    return rows.next(row, claim).catch(() => null);
  }

  /** Its slot is taken. */
  function start(row: WorkRow, handler: Handler): Promise<Ended> {
    const stopping = new AbortController();
    let isPassedOn = false;
    /** The next is claimed before this one is no more, so that no other node finds room between them. */
    const over = async () => {
      if (isStopped || !isFollowed(row, handler)) return;
      const next = await nextAfter(row);
      if (next === null) return;
      isPassedOn = true;
      void start(next, handler);
      if (isStopped) running.get(next.id)?.stopping.abort(); // gives it back
    };
    const end = attemptRow(deps, { row, handler, signal: stopping.signal }, over).finally(() => {
      running.delete(row.id);
      ends++;
      if (!isPassedOn) slots.release(row.kind, 1);
      ended();
    });
    running.set(row.id, { row, stopping, end });
    return end;
  }

  return {
    running,
    start,
    ends: () => ends,
    stop() {
      isStopped = true;
      for (const { stopping } of running.values()) stopping.abort();
    },
  };
}

/** `ended`: called after each attempt. */
export function openRunning(deps: RunningDeps, ended: () => void) {
  const { rows, node, clock } = deps;
  const slots = openSlots(deps.nodeMax);
  const { running, start, ends, stop } = openAttempts({ ...deps, slots }, ended);
  let renewedMs = Number.NEGATIVE_INFINITY;

  async function claimOnce(kind: string, handler: Handler): Promise<number> {
    const max = slots.take(kind, handler.rules);
    if (max === 0) return 0;
    const { groupAtOnce: groupMax } = handler.rules;
    const nowMs = clock.now();
    const of = { kind, node, max, groupMax, except: [...running.keys()] };
    let claimed: WorkRow[] = [];
    try {
      claimed = await rows.claim({ ...of, nowMs, leaseUntilMs: nowMs + LEASE_MS });
    } finally {
      slots.release(kind, max - claimed.length);
    }
    for (const row of claimed) void start(row, handler);
    return claimed.length;
  }

  return {
    size: () => running.size,
    /** How many attempts have ended so far. */
    ends,
    idle: async () => void (await Promise.all([...running.values()].map(({ end }) => end))),
    stop,
    /** Starts what is due of a kind and finds room; returns how much. */
    async claim(kind: string, handler: Handler): Promise<number> {
      let count = 0;
      for (let found = 1; found > 0; count += found) found = await claimOnce(kind, handler); // one group may fill a claim
      return count;
    },
    /** Adds a row and starts it; null, and it is not added, where there is no room. */
    async begin(row: NewWork, handler: Handler): Promise<{ first: Promise<Ended> } | null> {
      if (slots.take(row.kind, handler.rules, 1) === 0) return null;
      try {
        return {
          first: start(await rows.addClaimed(row, { node, untilMs: clock.now() + LEASE_MS }), handler),
        };
      } catch (error) {
        slots.release(row.kind, 1);
        throw error;
      }
    },
    /** Every ten seconds; an attempt whose lease another process has is stopped. */
    async renew(): Promise<void> {
      const nowMs = clock.now();
      if (running.size === 0 || nowMs - renewedMs < RENEW_MS) return;
      const ids = [...running.keys()];
      const kept = new Set(await rows.renew(node, { ids, untilMs: nowMs + LEASE_MS }));
      for (const id of ids) if (!kept.has(id)) running.get(id)?.stopping.abort();
      renewedMs = nowMs;
    },
  };
}

/** Counts what a node is doing of each kind of work, so that it begins no more than it has room for. */
export type Slots = ReturnType<typeof openSlots>;

function openSlots(nodeMax: number) {
  const taken = new Map<string, number>();
  let all = 0;
  const change = (kind: string, by: number) => {
    taken.set(kind, (taken.get(kind) ?? 0) + by);
    all += by;
  };
  return {
    /** Takes all that are free, or up to `max`, and returns how many. */
    take(kind: string, rules: Pick<Rules, "atOnce">, max = Number.POSITIVE_INFINITY): number {
      const room = Math.min(max, roomFor(rules, { ofKind: taken.get(kind) ?? 0, ofAll: all, nodeMax }));
      change(kind, room);
      return room;
    },
    /** Whether some are free, so that no other row of the kind waits for one. */
    isFree: (kind: string, rules: Pick<Rules, "atOnce">): boolean =>
      roomFor(rules, { ofKind: taken.get(kind) ?? 0, ofAll: all, nodeMax }) > 0,
    release: (kind: string, count: number) => change(kind, -count),
  };
}
