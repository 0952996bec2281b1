/**
 * What this process served in the last hour, a minute at a time: requests by outcome, the wait for the first audio or text,
 * and live sessions. In memory: src/cluster adds up those of all nodes for the status page.
 */
import { type Clock, unixSeconds } from "../clock.ts";
import type { Minute } from "./minute.ts";

/** `firstByteMs`: null if none was sent. */
type Ended = { status: number; firstByteMs: number | null; isSession: boolean };

export type Activity = {
  sessionBegan(): void;
  ended(request: Ended): void;
  openSessions(): number;
  /** The last hour, oldest first; the last minute is not over yet. `since`: only those that start then or later, Unix seconds. */
  minutes(since?: number): Minute[];
};

const MINUTES = 60;
const WAITS_MAX = 600; // of a minute with more, the newest

type Counts = Omit<Minute, "start"> & {
  /** Live sessions after the last event. */
  open: number;
};

export function openActivity(clock: Clock): Activity {
  const byMinute = new Map<number, Counts>();
  let open = 0;
  const minuteNow = () => Math.floor(unixSeconds(clock) / 60);
  function countsNow(): Counts {
    const minute = minuteNow();
    const known = byMinute.get(minute);
    if (known) return known;
    for (const old of byMinute.keys()) if (old <= minute - MINUTES) byMinute.delete(old);
    const fresh = { succeeded: 0, refused: 0, failed: 0, sessions: open, open, waits: [], waited: 0 };
    byMinute.set(minute, fresh);
    return fresh;
  }
  return {
    sessionBegan() {
      const counts = countsNow();
      counts.open = ++open;
      counts.sessions = Math.max(counts.sessions, open);
    },
    ended({ status, firstByteMs, isSession }) {
      const counts = countsNow();
      counts[outcomeOf(status)]++;
      if (firstByteMs !== null) counts.waits[counts.waited++ % WAITS_MAX] = firstByteMs;
      if (isSession) counts.open = --open;
    },
    openSessions: () => open,
    minutes(since = 0) {
      countsNow();
      const first = minuteNow() - MINUTES + 1;
      let before = 0;
      const hour = Array.from({ length: MINUTES }, (_none, index) => {
        const counts = byMinute.get(first + index);
        const sessions = counts?.sessions ?? before; // sessions last through minutes without an event
        before = counts?.open ?? before;
        return { start: (first + index) * 60, counts, sessions };
      });
      return hour
        .filter(({ start }) => start >= since)
        .map(({ start, counts, sessions }) => ({
          start,
          ...outcomes(counts),
          waited: counts?.waited ?? 0,
          waits: counts?.waits.toSorted((one, other) => one - other) ?? [],
          sessions,
        }));
    },
  };
}

function outcomeOf(status: number): "succeeded" | "refused" | "failed" {
  if (status >= 500) return "failed";
  return status >= 400 ? "refused" : "succeeded";
}

const outcomes = ({ succeeded, refused, failed }: Partial<Counts> = {}) => ({
  succeeded: succeeded ?? 0,
  refused: refused ?? 0,
  failed: failed ?? 0,
});
