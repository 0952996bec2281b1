/**
 * Whose frame is next: that of the listener who runs out of sound first. So several callers advance together, a new one
 * hears its first sound at once, and what is not needed yet waits.
 *
 *   caller 1   ▶ ███████░░░░       heard, synthesized ahead       due later
 *   caller 2   ▶ ██                                               due sooner: its frame is next
 *   caller 3                                                      no sound yet: due since it came
 */
type Waiting = { dueMs: number; start: () => void };

/** Runs one piece of work at a time, of those that wait the one that is due first. */
export type Turn = <T>(dueMs: number, work: () => Promise<T>) => Promise<T>;

export function openTurns(): Turn {
  const waiting: Waiting[] = [];
  let isTaken = false;
  const next = () => {
    const first = waiting.reduce<Waiting | null>(
      (least, each) => (least === null || each.dueMs < least.dueMs ? each : least),
      null,
    );
    isTaken = first !== null;
    if (first === null) return;
    waiting.splice(waiting.indexOf(first), 1);
    first.start();
  };
  return async (dueMs, work) => {
    if (isTaken) await new Promise<void>((start) => waiting.push({ dueMs, start }));
    isTaken = true;
    try {
      return await work();
    } finally {
      await new Promise(setImmediate); // tasks that came meanwhile take part
      next();
    }
  };
}
