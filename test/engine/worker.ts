/** An engine that does as it is told, as a thread (by its default export) and as a process (by its messages). */
import { threadId } from "node:worker_threads";
import { workerData } from "piscina";
import { withMutex } from "../../workers/mutex.ts";
import { takes } from "../until.ts";

type Task = {
  wait?: number;
  answer?: string;
  fail?: string;
  die?: boolean;
  /** Answer with the id of the thread. */
  name?: boolean;
  /** How many are inside a turn right now. */
  inside?: Int32Array<SharedArrayBuffer>;
};

export default async function work({ wait = 0, answer = "done", fail, die = false, inside, name }: Task) {
  if (inside) return withMutex(workerData.mutex, () => countInside(inside));
  if (wait > 0) await takes(wait);
  if (die) process.exit(9);
  if (fail !== undefined) throw new Error(fail);
  return name ? threadId : answer;
}

/** The most that were inside while this one was. */
function countInside(inside: Int32Array<SharedArrayBuffer>): number {
  const count = Atomics.add(inside, 0, 1) + 1;
  Bun.sleepSync(1);
  Atomics.sub(inside, 0, 1);
  return count;
}

process.on("message", async ({ id, task }: { id: number; task: Task }) => {
  try {
    process.send!({ id, result: await work(task) });
  } catch (error) {
    process.send!({ id, error: (error as Error).message });
  }
});
