/**
 * When a pool whose threads or processes end starts the next: at once after the first, then after a pause that doubles, up
 * to ten seconds, until a task succeeds. An engine that cannot run must not keep the machine busy with starting it.
 */

/** A thread or a process that ended unexpectedly, and how long its pool pauses. `worker`: its name below `workers/`. */
export type WorkerEnd = { worker: string; kind: "thread" | "process"; pausedMs: number };

export type WorkerEnded = (end: WorkerEnd) => void;

const PAUSE_MIN_MS = 100;
const PAUSE_MAX_MS = 10_000;

/** After so many ends in a row; the first may have had its reason in one task. */
export const pauseMs = (ends: number): number =>
  ends < 2 ? 0 : Math.min(PAUSE_MAX_MS, PAUSE_MIN_MS * 2 ** (ends - 2));

export function openBackOff(
  { worker, kind }: Pick<WorkerEnd, "worker" | "kind">,
  notify: WorkerEnded = () => {},
) {
  let endsInARow = 0;
  let pausedUntilMs = 0; // on the clock of `performance`
  return {
    /** One has ended; returns the pause. */
    ended(): number {
      const pausedMs = pauseMs(++endsInARow);
      pausedUntilMs = performance.now() + pausedMs;
      notify({ worker, kind, pausedMs });
      return pausedMs;
    },
    succeeded(): void {
      endsInARow = 0;
      pausedUntilMs = 0;
    },
    /** What is left of the pause. */
    leftMs: () => Math.max(0, pausedUntilMs - performance.now()),
  };
}
