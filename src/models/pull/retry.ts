/** Repeats a request that failed for a reason that may pass, with growing waits, or with those that the hub asks for. */

import { setTimeout as sleep } from "node:timers/promises";
import { diskFailure, ModelStoreError } from "../store/store-error.ts";

const ATTEMPTS_MAX = 5;
const ASKED_MAX_MS = 10 * 60_000; // hubs count requests in windows of five minutes
const ADVISED_MS = 5000;

/** A status after which the request may succeed later, and the wait that the hub asks for. */
export class RetryableStatus extends Error {
  constructor(
    status: number,
    readonly afterMs: number | null,
  ) {
    super(`the server answered ${status}`);
  }
}

type Retrying = { signal: AbortSignal; backoffMs: number; notice: (line: string) => void };

/** A `ModelStoreError`, a failure of the disk and an abort are final. `url` is named in the error after the last attempt. */
export async function retry<T>(
  { signal, backoffMs, notice }: Retrying,
  url: string,
  work: () => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    signal.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      if (error instanceof ModelStoreError || diskFailure(error) || signal.aborted) throw error;
      const asked = error instanceof RetryableStatus ? error.afterMs : null;
      if (attempt === ATTEMPTS_MAX || (asked ?? 0) > ASKED_MAX_MS) throw failed(url, error, asked);
      const wait = waitMs(attempt, { asked, backoffMs });
      if (wait >= ADVISED_MS)
        notice(`${new URL(url).host}: ${reasonOf(error)}; waiting ${Math.round(wait / 1000)} s`);
      await sleep(wait, undefined, { signal });
    }
  }
}

function failed(url: string, error: unknown, asked: number | null): ModelStoreError {
  const later = asked === null ? "" : ` and asks to wait ${Math.ceil(asked / 60_000)} min`;
  return new ModelStoreError(
    `Download of ${url} failed: ${reasonOf(error)}${later}. Try again later; behind a proxy set HTTPS_PROXY, for another source LOQUAT_MIRROR. Without a network, "loquat models import" installs what another machine exported.`,
    {
      cause: error,
      summary: `The download from ${new URL(url).host} failed: ${reasonOf(error)}.`,
      isUnanswered: hasNoConnection(error),
    },
  );
}

/** As the runtime says of names that it cannot resolve, and of ports that refuse. */
const hasNoConnection = (error: unknown): boolean => /Unable to connect/.test((error as Error).message);

const reasonOf = (error: unknown): string => {
  const { message, name } = error as Error;
  if (hasNoConnection(error)) return "no connection";
  return name === "TimeoutError" ? "connection timed out" : message.replace(/[.?!]$/, "");
};

/**
 * How long to wait before a request is repeated.
 *
 * With jitter, so that parallel requests do not return together: up to half of a backoff, a tenth of what was asked. @internal
 */
export function waitMs(
  attempt: number,
  { asked, backoffMs, random = Math.random() }: { asked: number | null; backoffMs: number; random?: number },
): number {
  if (asked !== null) return asked * (1 + random / 10);
  return backoffMs * 2 ** (attempt - 1) * (1 - random / 2);
}
