/**
 * The line of writes before a store: one batch at a time, and what comes meanwhile is the next.
 *
 * A charge waits for its batch and hears what became of it. A request's log has time: it rides along, or goes alone
 * after a while, and where a batch fails it stays in line, until there are too many. A log never costs a charge its
 * place: after a failure the two go apart, logs fewer and fewer at once until they get through, and one that fails by
 * itself while charges are booked is given up.
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
  const { urgent, patient, settleNext, isPressing } = openQueues(store);
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
      failed = await settleNext();
      if (closing) rejectAll(failed === null ? [] : patient.splice(0), failed);
    } while (urgent.length > 0 || (failed === null && isPressing()));
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

/** What waits, and how the next batch of it is settled: answers the fault of a store that fails. */
function openQueues(store: Store) {
  const urgent: Waiting[] = [];
  const patient: Waiting[] = [];
  /** How many logs go at once; null while they ride along with charges. */
  let apart: number | null = null;

  const settleOrReject = async (charges: Waiting[]) => rejectAll(charges, await settle(store, charges));

  async function together(): Promise<unknown> {
    const [charges, logs] = [urgent.splice(0, BATCH_MAX), patient.splice(0, BATCH_MAX)];
    const failed = await settle(store, [...charges, ...logs]);
    if (failed === null) return null;
    patient.unshift(...logs);
    if (logs.length > 0) apart = Math.ceil(logs.length / 2);
    return charges.length > 0 && logs.length > 0 ? settleOrReject(charges) : rejectAll(charges, failed);
  }

  async function separately(logsMax: number): Promise<unknown> {
    const charges = urgent.splice(0, BATCH_MAX);
    const failed = await settleOrReject(charges);
    if (failed !== null) return failed;
    const logs = patient.splice(0, logsMax);
    const fault = await settle(store, logs);
    if (fault === null) apart = logsMax * 2 > BATCH_MAX ? null : logsMax * 2;
    else if (logs.length === 1 && charges.length > 0)
      rejectAll(logs, fault); // the store works: it is this one
    else {
      patient.unshift(...logs);
      apart = Math.ceil(logs.length / 2);
      return fault;
    }
    return null;
  }

  return {
    urgent,
    patient,
    settleNext: () => (apart === null ? together() : separately(apart)),
    /** So many logs that they wait for nothing. */
    isPressing: () => patient.length >= (apart ?? BATCH_MAX),
  };
}

/** Tells them where their batch failed, and answers the fault. */
function rejectAll(batch: Waiting[], failed: unknown): unknown {
  if (failed !== null) for (const { reject } of batch) reject(failed);
  return failed;
}

/** Tells each what became of it; answers the fault where the batch failed as a whole. */
async function settle(store: Store, batch: Waiting[]): Promise<unknown> {
  if (batch.length === 0) return null;
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
