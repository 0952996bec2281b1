/**
 * Raises what requests run into: limits, the spending limit, budgets, the end of credit. The first refusal raises it and the next
 * ones cost a look into memory, until an hour, a month, a period or new credit begins anew; it is raised once, whichever node refuses.
 */
import { type Clock, unixSeconds } from "../clock.ts";
import type { Database } from "../db/database.ts";
import { raisedOnce } from "../db/queries/event-rows.ts";
import { newestGrant } from "../db/queries/upcoming-rows.ts";
import type { Log } from "../log/log.ts";
import { budgetsAt, type Cap, endOf } from "../restrictions.ts";
import { type NewEvent, openRaising } from "./raising.ts";

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const KNOWN_MAX = 10_000;

/** Whose request was refused, and what restricts it. */
type RefusedCaller = { organizationId: string; projectId: string; caps: readonly Cap[] };

/** Of a refused request. Returns at once, never throws. */
export type Refused = (caller: RefusedCaller, code: string) => void;

type ReachedDeps = { database: Database; clock: Clock; log: Log };

export function openReached({ database, clock, log }: ReachedDeps): Refused {
  const raise = openRaising(clock);
  const known = new Map<string, number>(); // until when, in milliseconds

  /** Whether it was not asked for within that time; a failure is asked for again. */
  async function once(key: string, untilMs: number, look: () => Promise<NewEvent>): Promise<void> {
    if ((known.get(key) ?? 0) > clock.now()) return;
    known.delete(key); // the newest is last
    if (known.size >= KNOWN_MAX) known.delete(known.keys().next().value!);
    known.set(key, untilMs);
    try {
      if (await raisedOnce(database, raise(await look()))) database.raised?.();
    } catch (cause) {
      known.delete(key);
      log.warn("events_unavailable", { cause });
    }
  }

  const LOOKS: Record<string, Refused> = {
    rate_limit_exceeded: limit,
    concurrency_limit_exceeded: limit,
    key_budget_reached: (caller) => budget(caller, "key"),
    project_budget_reached: (caller) => budget(caller, "project"),
    spending_limit_reached({ organizationId }) {
      const now = new Date(clock.now());
      const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()];
      const at = Date.UTC(year, month) / 1000;
      void once(`${organizationId} spending`, Date.UTC(year, month + 1), async () => ({
        ...{ type: "spending_limit.reached", organizationId, once: { key: organizationId, at } },
        data: { month_start: at },
      }));
    },
    insufficient_credits({ organizationId }) {
      void once(`${organizationId} credit`, clock.now() + MINUTE_MS, async () => {
        const grant = await newestGrant(database, organizationId);
        const at = grant?.createdAt ?? 0;
        return {
          ...{ type: "balance.empty", organizationId, once: { key: `${organizationId} ${grant?.id}`, at } },
          data: { last_grant_id: grant?.id ?? null },
        };
      });
    },
  };

  function budget({ organizationId, projectId, caps }: RefusedCaller, of: Cap["of"]): void {
    const now = unixSeconds(clock);
    const { caps: budgeted, periods } = budgetsAt(caps, now);
    const index = budgeted.findIndex((cap) => cap.of === of);
    const [cap, period] = [budgeted[index], periods[index]];
    if (!cap || !period) return; // it was taken back meanwhile
    const [subject, start] = period;
    const { budget: reached } = cap.restrictions;
    const untilMs = Math.min((endOf(reached, now) ?? Infinity) * 1000, clock.now() + HOUR_MS);
    const key = `${subject} ${start} ${reached.limit_micros}`;
    void once(key, untilMs, async () => ({
      ...{ type: "budget.reached", organizationId, projectId, once: { key, at: start } },
      data: {
        ...{ id: subject, of, limit_micros: reached.limit_micros },
        ...{ interval: reached.interval, period_start: start },
      },
    }));
  }

  function limit({ organizationId }: RefusedCaller, code: string): void {
    const hourMs = Math.floor(clock.now() / HOUR_MS) * HOUR_MS;
    void once(`${organizationId} ${code}`, hourMs + HOUR_MS, async () => ({
      ...{ type: "rate_limit.reached", organizationId },
      once: { key: `${organizationId} ${code}`, at: hourMs / 1000 },
      data: { code },
    }));
  }

  return (organizationId, code) => LOOKS[code]?.(organizationId, code);
}
