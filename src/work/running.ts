/** What this process is doing: rows that it has leases of, within its slots, until each attempt has ended. */
import type { Clock } from "../clock.ts";
import type { NewWork, WorkRow, WorkRows } from "../db/queries/work-rows.ts";
import type { Log } from "../log/log.ts";
import { attemptRow, type Handler } from "./attempt.ts";
import type { Ended } from "./decisions.ts";
import { openSlots } from "./work-slots.ts";

const LEASE_MS = 30_000;
const RENEW_MS = 10_000;

type RunningDeps = { rows: WorkRows; node: string; nodeMax: number; clock: Clock; log: Log };

/** `ended`: called after each attempt. */
export function openRunning(deps: RunningDeps, ended: () => void) {
  const { rows, node, clock } = deps;
  const slots = openSlots(deps.nodeMax);
  const running = new Map<string, { stopping: AbortController; end: Promise<Ended> }>();
  let ends = 0;
  let renewedMs = Number.NEGATIVE_INFINITY;

  /** Its slot is taken. */
  function start(row: WorkRow, handler: Handler): Promise<Ended> {
    const stopping = new AbortController();
    const end = attemptRow(deps, { row, handler, signal: stopping.signal }).finally(() => {
      running.delete(row.id);
      ends++;
      slots.release(row.kind, 1);
      ended();
    });
    running.set(row.id, { stopping, end });
    return end;
  }

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
    ends: () => ends,
    idle: async () => void (await Promise.all([...running.values()].map(({ end }) => end))),
    stop() {
      for (const { stopping } of running.values()) stopping.abort();
    },
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
