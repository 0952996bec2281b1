/** Whose task it is, and how long it may wait: what the scheduler orders tasks by. */

import type { Trace } from "../tracing.ts";
import type { Position } from "./queue/position.ts";

export type Claim = Position & { signal: AbortSignal; trace?: Trace | null };

/** A claim for engines without other callers. */
export function soleClaim(signal = new AbortController().signal): Claim {
  return { urgency: "batch", organization: "", request: "", signal };
}
