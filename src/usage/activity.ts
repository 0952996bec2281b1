/**
 * What this process served in the last hour, a minute at a time: requests by outcome, the wait for the first audio or text,
 * and live sessions. In memory, for the status page.
 */
import { type Clock, unixSeconds } from "../clock.ts";
import { percentile } from "../percentile.ts";

/** `start` in Unix seconds. The percentiles are null in a minute without audio or text. */
type Minute = {
  start: number;
  succeeded: number;
  /** Status 4xx. */
  refused: number;
  /** Status 5xx. */
  failed: number;
  p50Ms: number | null;
  p95Ms: number | null;
  /** The most live sessions at once. */
  sessions: number;
};

/** `firstByteMs`: null if none was sent. */
type Ended = { status: number; firstByteMs: number | null; isSession: boolean };

export type Activity = {
  sessionBegan(): void;
  ended(request: Ended): void;
  openSessions(): number;
  /** The last hour, oldest first; the last minute is not over yet. */
  minutes(): Minute[];
};

const MINUTES = 60;
const WAITS_MAX = 600; // of a minute with more, the newest

type Counts = Pick<Minute, "succeeded" | "refused" | "failed" | "sessions"> & {
  /** In milliseconds. */
  waits: number[];
  waited: number;
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
    minutes() {
      countsNow();
      const first = minuteNow() - MINUTES + 1;
      let before = 0;
      return Array.from({ length: MINUTES }, (_none, index) => {
        const counts = byMinute.get(first + index);
        const sessions = counts?.sessions ?? before; // sessions last through minutes without an event
        before = counts?.open ?? before;
        return {
          start: (first + index) * 60,
          ...outcomes(counts),
          ...percentiles(counts?.waits ?? []),
          sessions,
        };
      });
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

function percentiles(waits: number[]) {
  const sorted = waits.toSorted((one, other) => one - other);
  return { p50Ms: percentile(sorted, 0.5), p95Ms: percentile(sorted, 0.95) };
}
