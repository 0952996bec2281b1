/** Whose task it is, and how long it may wait: what the scheduler orders tasks by. */

import type { Trace } from "../tracing.ts";

/** From the most urgent to the least. */
export const URGENCIES = ["realtime", "streaming", "batch"] as const;

export type Claim = {
  urgency: (typeof URGENCIES)[number];
  organization: string;
  request: string;
  signal: AbortSignal;
  trace?: Trace | null;
};

/** A claim for engines without other callers. */
export function soleClaim(signal = new AbortController().signal): Claim {
  return { urgency: "batch", organization: "", request: "", signal };
}
