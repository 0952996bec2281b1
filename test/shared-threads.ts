/**
 * Threads that the servers of a test process share, one server after another: those of an embedded engine take up to two seconds of
 * a processor to load, and hundreds of servers are opened in a run.
 */
import { endsWithin } from "../src/clock.ts";
import type { EngineWork, Work } from "../src/engine/protocol/task.ts";
import { CLOSE_LIMIT_MS, closing, type Runner } from "../src/engine/runner.ts";
import { openThreadPool, type PoolOptions } from "../src/engine/threads/thread-pool.ts";

/** Never closed: by what their threads load. */
const pools = new Map<string, Runner<never>>();

/** What is returned waits for its own tasks, as a pool does that is closed. */
export function openSharedThreads<W extends Work = EngineWork>(worker: URL, options: PoolOptions): Runner<W> {
  const { ended: _, data = {}, ...sizes } = options;
  const name = JSON.stringify([worker.pathname, data, sizes]);
  const pool = (pools.get(name) ?? openThreadPool<W>(worker, { data, ...sizes })) as Runner<W>;
  pools.set(name, pool as Runner<never>);
  const running = new Set<Promise<unknown>>();
  let isClosed = false;
  return {
    async run(task, transfer, claim) {
      if (isClosed) throw closing();
      const result = pool.run(task, transfer, claim);
      running.add(result);
      try {
        return await result;
      } finally {
        running.delete(result);
      }
    },
    async [Symbol.asyncDispose]() {
      isClosed = true;
      await endsWithin(CLOSE_LIMIT_MS, Promise.allSettled(running));
    },
  };
}
