/**
 * The only reader of the time, so that tests control it, and waiting for work no longer than for a time or until a signal.
 */

export type Clock = {
  /** Unix time in milliseconds. */
  now(): number;
};

export const systemClock: Clock = { now: () => Date.now() };

export const unixSeconds = (clock: Clock): number => Math.floor(clock.now() / 1000);

/** Of a date that a library uses. */
export const secondsOf = (date: Date): number => Math.floor(date.getTime() / 1000);

/** Whether it ended in time. Fails as the work does. */
export const endsWithin = (limitMs: number, work: Promise<unknown>): Promise<boolean> =>
  raced(
    limitMs,
    work.then(() => true),
    ({ resolve }) => resolve(false),
  );

/** The result of the work; fails with what `late` makes where it takes longer. */
export const withTimeout = <T>(limitMs: number, work: Promise<T>, late: () => Error = timedOut): Promise<T> =>
  raced(limitMs, work, ({ reject }) => reject(late()));

async function raced<T>(
  limitMs: number,
  work: Promise<T>,
  giveUp: (limit: PromiseWithResolvers<T>) => void,
): Promise<T> {
  const limit = Promise.withResolvers<T>();
  const timer = setTimeout(() => giveUp(limit), limitMs);
  try {
    return await Promise.race([work, limit.promise]);
  } finally {
    clearTimeout(timer);
  }
}

const timedOut = () => new DOMException("timed out", "TimeoutError");

/** The result of the work, or the reason of the signal once it is aborted. */
export async function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  work.catch(() => {}); // also where no caller waits for it any more
  signal.addEventListener("abort", abort, { once: true });
  try {
    signal.throwIfAborted();
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
