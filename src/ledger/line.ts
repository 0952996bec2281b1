/**
 * The line of writes before a store: one batch at a time, and what comes meanwhile is the next.
 *
 * A charge waits for its batch and hears what became of it. A request's log has time: it rides along, or goes alone
 * after a while, and where a batch fails it stays in line, until there are too many.
 */
import { reached } from "../errors.ts";
import type { Outcome, Store, Write } from "./ledger.ts";

const BATCH_MAX = 256;
const LOGS_MAX = 10_000;
const RIDE_MS = 50;
const AGAIN_MS = 1000;

type Waiting = { write: Write; resolve: (outcome: never) => void; reject: (reason: unknown) => void };

export type Line = AsyncDisposable & {
  /** Resolves once it is durable; 503 where the store fails. */
  write<T extends Outcome>(write: Write): Promise<T>;
};

export function openLine(store: Store): Line {
  const urgent: Waiting[] = [];
  const patient: Waiting[] = [];
  let draining: Promise<void> | null = null;
  let ride: Timer | null = null;
  let closing = false;

  const rideAfter = (ms: number) => {
    ride ??= setTimeout(() => {
      ride = null;
      start();
    }, ms);
  };
  const start = () => {
    if (urgent.length + patient.length > 0) draining ??= drain();
  };

  async function drain(): Promise<void> {
    let failed: unknown = null;
    do {
      const [charges, logs] = [urgent.splice(0, BATCH_MAX), patient.splice(0, BATCH_MAX)];
      failed = await settle(store, [...charges, ...logs]);
      if (failed === null) continue;
      for (const { reject } of charges) reject(failed);
      if (closing) for (const { reject } of [...logs, ...patient.splice(0)]) reject(failed);
      else patient.unshift(...logs);
    } while (urgent.length > 0 || (failed === null && patient.length >= BATCH_MAX));
    draining = null; // in the same step as the last look at the line: whoever comes now starts again
    if (patient.length > 0) rideAfter(failed === null ? RIDE_MS : AGAIN_MS);
  }

  return {
    write: (write) =>
      new Promise((resolve, reject) => {
        const isLog = "log" in write;
        if (isLog && patient.length >= LOGS_MAX)
          return reject(new Error("too many requests wait to be logged"));
        (isLog ? patient : urgent).push({ write, resolve, reject });
        if (isLog) rideAfter(RIDE_MS);
        else start();
      }),
    async [Symbol.asyncDispose]() {
      closing = true;
      if (ride) clearTimeout(ride);
      while (urgent.length > 0 || patient.length > 0 || draining) {
        start();
        await draining;
      }
      if (ride) clearTimeout(ride);
    },
  };
}

/** Tells each what became of it; answers the fault where the batch failed as a whole. */
async function settle(store: Store, batch: Waiting[]): Promise<unknown> {
  try {
    const outcomes = await reached("The ledger", store.apply(batch.map(({ write }) => write)));
    for (const [at, { resolve, reject }] of batch.entries()) {
      const outcome = outcomes[at]!;
      if ("error" in outcome) reject(new Error(outcome.error));
      else resolve(outcome as never);
    }
    return null;
  } catch (fault) {
    return fault;
  }
}
