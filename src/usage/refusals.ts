/**
 * Limits how many refused requests of an organization are logged: refusals are free, so a flood of them must fill
 * neither the database nor the log. Beyond the limit they are only counted in the metrics.
 */
import type { Clock } from "../clock.ts";

const LOGGED_PER_MINUTE = 60;
const MINUTE_MS = 60_000;

export type Refusals = {
  /** Whether one more may be logged now. */
  mayLog(organizationId: string): boolean;
};

export function openRefusals(clock: Clock): Refusals {
  const logged = new Map<string, number>();
  let minute = 0;
  return {
    mayLog(organizationId) {
      const now = Math.floor(clock.now() / MINUTE_MS);
      if (now !== minute) logged.clear();
      minute = now;
      const before = logged.get(organizationId) ?? 0;
      if (before >= LOGGED_PER_MINUTE) return false;
      logged.set(organizationId, before + 1);
      return true;
    },
  };
}
