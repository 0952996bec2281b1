/**
 * The line of writes before a store: one batch at a time, and what comes meanwhile is the next.
 *
 * Who is urgent, as a charge, waits for the batch and hears what became of it. Who is patient, as a request's log, has
 * time: it rides along, or goes alone after a while, and where a batch fails it stays in line, until there are too many.
 * The patient never cost the urgent their place: after a failure the two go apart, the patient fewer and fewer at once
 * until they get through, and one that fails by itself while the urgent are booked is given up.
 */
import { unavailableOnError } from "../errors.ts";
import type { Outcome, Store, Write } from "./store.ts";

const BATCH_MAX = 256;
const LOGS_MAX = 10_000;
const PATIENT_MAX = 2 * LOGS_MAX; // what is money finds room where logs find none
const RIDE_MS = 50;
const AGAIN_MS = 1000;

type Waiting = { write: Write; resolve: (outcome: never) => void; reject: (reason: unknown) => void };

export type WriteQueue = AsyncDisposable & {
  /** Resolves once it is durable; 503 where the store fails, for the patient only where it is closed meanwhile. */
  write<T extends Outcome>(write: Write, pace?: "urgent" | "patient"): Promise<T>;
};

export function openWriteQueue(store: Store): WriteQueue {
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
    write: (write, pace = "urgent") =>
      new Promise((resolve, reject) => {
        if (pace === "urgent") {
          urgent.push({ write, resolve, reject });
          return start();
        }
        if (patient.length >= ("log" in write ? LOGS_MAX : PATIENT_MAX))
          return reject(new Error("too many writes wait for the ledger"));
        patient.push({ write, resolve, reject });
        rideAfter(RIDE_MS);
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
  /** How many of the patient go at once; null while they ride along. */
  let apart: number | null = null;

  const settleOrReject = async (now: Waiting[]) => rejectAll(now, await settle(store, now));

  async function together(): Promise<unknown> {
    const [now, later] = [urgent.splice(0, BATCH_MAX), patient.splice(0, BATCH_MAX)];
    const failed = await settle(store, [...now, ...later]);
    if (failed === null) return null;
    patient.unshift(...later);
    if (later.length > 0) apart = Math.ceil(later.length / 2);
    return now.length > 0 && later.length > 0 ? settleOrReject(now) : rejectAll(now, failed);
  }

  async function separately(laterMax: number): Promise<unknown> {
    const now = urgent.splice(0, BATCH_MAX);
    const failed = await settleOrReject(now);
    if (failed !== null) return failed;
    const later = patient.splice(0, laterMax);
    const fault = await settle(store, later);
    if (fault === null) apart = laterMax * 2 > BATCH_MAX ? null : laterMax * 2;
    else if (later.length === 1 && now.length > 0)
      rejectAll(later, fault); // the store works: it is this one
    else {
      patient.unshift(...later);
      apart = Math.ceil(later.length / 2);
      return fault;
    }
    return null;
  }

  return {
    urgent,
    patient,
    settleNext: () => (apart === null ? together() : separately(apart)),
    /** So many that they wait for nothing. */
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
    const outcomes = await unavailableOnError("The ledger", store.apply(batch.map(({ write }) => write)));
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
