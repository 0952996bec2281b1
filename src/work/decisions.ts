/**
 * Decides what becomes of a row of work. Pure: it knows no clock, database or handler.
 *
 *   claimed ──attempts left──> run ──done──> ended
 *      │                        ├──failed──> due again after a pause, or given up after the last attempt
 *      │                        └──the node stops──> given back: due at once, the attempt is not counted
 *      └──none left: each attempt ended with its process──> given up
 */
import type { Settlement, WorkRow } from "../db/queries/work-rows.ts";

/** How a kind of work is done. */
export type Rules = {
  /** Attempts that may begin; one that ended with its process counts. */
  attemptsMax: number;
  /** Milliseconds from the end of a failed attempt, counted from 1, until the next one. */
  pauseMs(attempts: number): number;
  /** At one node. */
  atOnce: number;
  /** Of one group; rows of the group "" are not counted. */
  groupAtOnce: number;
};

/** `isFinal`: another attempt would fail too. `dueMs`: when another one may begin, in place of the pause. */
export type Failure = { isFinal?: boolean; dueMs?: number };

export type Ended = "done" | "again" | "given_up";

type Counted = Pick<WorkRow, "attempts" | "expiresMs">;

/** Whether a claimed row may be attempted. */
export const isAttempted = ({ attempts }: Counted, { attemptsMax }: Rules): boolean =>
  attempts <= attemptsMax;

/** What becomes of an attempt that failed: due again, unless it was the last one or would be due only when it has expired. */
export function afterFailure(
  { attempts, expiresMs }: Counted,
  rules: Rules,
  { isFinal = false, dueMs, nowMs }: Failure & { nowMs: number },
): Settlement {
  const next = dueMs ?? nowMs + rules.pauseMs(attempts);
  const isLast = isFinal || attempts >= rules.attemptsMax || (expiresMs !== null && next >= expiresMs);
  return isLast ? { isEnded: true } : { isEnded: false, dueMs: next, attempts };
}

/** The node stops: the attempt is taken back. */
export const givenBack = ({ attempts }: Counted, nowMs: number): Settlement => ({
  isEnded: false,
  dueMs: nowMs,
  attempts: attempts - 1,
});

/** How many rows of a kind a node may claim now. `ofKind`, `ofAll`: how many it is doing. */
export const roomFor = (
  { atOnce }: Pick<Rules, "atOnce">,
  { ofKind, ofAll, nodeMax }: { ofKind: number; ofAll: number; nodeMax: number },
): number => Math.max(0, Math.min(atOnce - ofKind, nodeMax - ofAll));
