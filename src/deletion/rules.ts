/** How work that deletes is tried: until it succeeds, since Stripe or the storage of files may be down for days. */
import type { Rules } from "../work/decisions.ts";

const MINUTE_MS = 60_000;

export const DELETION_RULES: Rules = {
  attemptsMax: 10_000,
  pauseMs: (attempts) => Math.min(attempts, 60) * MINUTE_MS,
  atOnce: 1,
  groupAtOnce: 1,
};
