/** How fast money is spent. Pure. */
import type { Sums } from "./aggregate.ts";

const DAY = 86_400;
const PACE_DAYS = 7;

/** Micros a day over the last 7 days, of which today, the last one, counts as far as it has passed. `now`: Unix seconds. */
export function paceOf(days: readonly Sums[], now: number): number {
  const spent = days.slice(-PACE_DAYS).reduce((sum, { cost_micros }) => sum + cost_micros, 0);
  return spent / (PACE_DAYS - 1 + (now % DAY) / DAY);
}
