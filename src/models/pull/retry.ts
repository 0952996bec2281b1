/** Repeats a request that failed for a reason that may pass, with growing waits, or with those that the hub asks for. */
import { setTimeout as sleep } from "node:timers/promises";
import { diskFailure, ModelStoreError } from "../store/store-error.ts";

const ATTEMPTS_MAX = 5;

/** A status after which the request may succeed later, and the wait that the hub asks for. */
export class RetryableStatus extends Error {
  constructor(
    status: number,
    readonly afterMs: number | null,
  ) {
    super(`the server answered ${status}`);
  }
}

type Retrying = { signal: AbortSignal; backoffMs: number };

/** A `ModelStoreError`, a failure of the disk and an abort are final. `url` is named in the error after the last attempt. */
export async function retry<T>(
  { signal, backoffMs }: Retrying,
  url: string,
  work: () => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    signal.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      if (error instanceof ModelStoreError || diskFailure(error) || signal.aborted) throw error;
      if (attempt === ATTEMPTS_MAX)
        throw new ModelStoreError(`Download of ${url} failed: ${reasonOf(error)}. Try again later.`);
      const afterMs = error instanceof RetryableStatus ? error.afterMs : null;
      await sleep(afterMs ?? backoffMs * 2 ** (attempt - 1), undefined, { signal });
    }
  }
}

const reasonOf = (error: unknown): string => {
  const { message, name } = error as Error;
  return name === "TimeoutError" ? "connection timed out" : message.replace(/[.?!]$/, "");
};

/** Fails with a `TimeoutError` where the work takes longer; the work itself goes on. */
export async function withTimeout<T>(ms: number, work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new DOMException("timed out", "TimeoutError")), ms);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
