/** The only place where tests wait: for what happens, or for a time and a reason. */
const POLL_MS = 5;

/**
 * Waits for what happens elsewhere, in other tasks or processes, and returns it: the first value that is not false, null or
 * undefined. The test's own time limit ends a wait in vain. `everyMs`: for looks that limits count.
 */
export async function until<T>(
  look: () => T | Promise<T>,
  everyMs = POLL_MS,
): Promise<Exclude<Awaited<T>, false | null | undefined>> {
  for (;;) {
    const seen = await look();
    if (seen !== false && seen !== null && seen !== undefined)
      return seen as Exclude<Awaited<T>, false | null | undefined>;
    await Bun.sleep(everyMs);
  }
}

/** Lets other work of this thread go on. */
export const loopTurn = (): Promise<void> => Bun.sleep(0);

/** A time in which nothing happens, as the test then shows. */
export const quietFor = (ms: number): Promise<void> => Bun.sleep(ms);

/** What gives no sign of its end takes this long: the work of a stand-in, the pace of a client, a cache that expires. */
export const takes = (ms: number): Promise<void> => Bun.sleep(ms);
