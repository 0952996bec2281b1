/** Runs schedules, several at a time, each on connections of its own; the first that goes wrong ends it, with its seed. */
import type { Fixture } from "./database.ts";
import { type Locking, Schedule, seatOn } from "./schedule.ts";

const THREADS = 4;
const ROUND = 500; // schedules between two clearings
const NODES_MAX = 4;

const sound: Locking = (ask) => ask;

/**
 * As it was up to ce9739a: accounts are made inside the transaction, and one counts as locked where the load that comes
 * after the lock finds it.
 */
export const lockOnlyExisting: Locking = (ask) => {
  let organizations: unknown[] = [];
  let existing = Promise.withResolvers<object[]>();
  let isOpen = false;
  return async (statement) => {
    const isBegin = statement.text.startsWith("begin");
    if (statement.text === "rollback" || (isBegin && isOpen)) return []; // it goes on in the transaction it has
    isOpen ||= isBegin;
    if (statement.name === "ledger_lock") {
      organizations = statement.values ?? [];
      existing = Promise.withResolvers();
      const { promise, reject } = existing;
      ask(statement).catch(reject);
      return promise;
    }
    if (statement.name === "ledger_load")
      ask({ ...EXISTING, values: organizations }).then(existing.resolve, existing.reject);
    return ask(statement);
  };
};

const EXISTING = {
  name: "simulation_found",
  text: "select organization_id from credit_account where organization_id = any($1)",
};

type SimulationOptions = { from: number; count: number; locking?: Locking; report?: (done: number) => void };

/** Throws what went wrong, with the seed and what happened until then. */
export async function simulate(
  fixture: Fixture,
  { from, count, locking = sound, report }: SimulationOptions,
): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const connect = async () => stack.use(await fixture.connect());
  const open = async () => {
    const reader = await connect();
    const connections = await Promise.all(Array.from({ length: NODES_MAX }, connect));
    return { fixture, locking, reader, seats: connections.map(seatOn) };
  };
  const threads = await Promise.all(Array.from({ length: Math.min(THREADS, count) }, open));
  const end = from + count;
  for (let start = from; start < end; start += ROUND) {
    await inThreads(threads, { from: start, to: Math.min(end, start + ROUND) }, (seed) =>
      report?.(seed - from + 1),
    );
    await fixture.clear();
  }
}

type Thread = ConstructorParameters<typeof Schedule>[1];

/** Runs seeds in parallel, each thread one at a time; throws once all have ended and one has failed. */
async function inThreads(
  threads: Thread[],
  { from, to }: { from: number; to: number },
  done: (seed: number) => void,
) {
  let next = from;
  let failed = false;
  const work = async (thread: Thread) => {
    while (next < to && !failed) {
      const seed = next++;
      await one(seed, thread).catch((error: unknown) => {
        failed = true;
        throw error;
      });
      done(seed);
    }
  };
  const ends = await Promise.allSettled(threads.map(work));
  const wrong = ends.find((end) => end.status === "rejected");
  if (wrong) throw wrong.reason;
}

async function one(seed: number, parts: Thread): Promise<void> {
  const schedule = new Schedule(seed, parts);
  try {
    await schedule.run();
  } catch (error) {
    await schedule.end();
    const happened = schedule.trace.join("\n");
    throw new Error(`SEED=${seed}: ${(error as Error).message}\n${happened}`, { cause: error });
  }
}
