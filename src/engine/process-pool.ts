/**
 * A pool of child processes, for engines whose licence or crashes must stay outside the server's own process.
 *
 *   run ──> waiting ──> an idle child (started when first needed) ──> result
 *
 * After a child has died, the next task starts another. Where one after another dies and none ends a task in between, the
 * pool pauses before it starts the next (`back-off.ts`), and refuses tasks meanwhile.
 */
import { workerName } from "../resources.ts";
import { openBackOff } from "./back-off.ts";
import { type Child, startProcess } from "./child-process.ts";
import type { EngineWork, Work } from "./protocol/task.ts";
import { closing, type Runner, type RunnerOptions, restarting } from "./runner.ts";

type Waiting = { task: object; resolve: (value: never) => void; reject: (reason: Error) => void };

/** `args` are the arguments of every child. */
type ChildrenOptions = RunnerOptions & { args?: string[] };

export function openProcessPool<W extends Work = EngineWork>(
  script: URL,
  { size, args = [], ended }: ChildrenOptions,
): Runner<W> {
  const backOff = openBackOff({ worker: workerName(script), kind: "process" }, ended);
  const children = new Set<Child>();
  const waiting: Waiting[] = [];
  let closed = false;

  function start(): Child {
    const child = startProcess({ script, args }, () => {
      children.delete(child);
      if (!closed) pause();
      feed();
    });
    children.add(child);
    return child;
  }

  function pause(): void {
    const ms = backOff.ended();
    if (ms > 0) for (const { reject } of waiting.splice(0)) reject(restarting(ms));
  }

  function feed(): void {
    while (waiting.length > 0) {
      const idle = [...children].find((child) => !child.busy());
      if (!idle && children.size >= size) return;
      const { task, resolve, reject } = waiting.shift()!;
      const result = Promise.try(() => (idle ?? start()).run(task) as Promise<never>); // a start may fail
      const succeed = (value: never) => {
        backOff.succeeded();
        resolve(value);
      };
      result.then(succeed, reject).finally(feed);
    }
  }

  return {
    run(task) {
      if (closed) return Promise.reject(closing());
      const leftMs = backOff.leftMs();
      if (leftMs > 0 && children.size === 0) return Promise.reject(restarting(leftMs));
      return new Promise((resolve, reject) => {
        waiting.push({ task, resolve, reject });
        feed();
      });
    },
    async [Symbol.asyncDispose]() {
      closed = true;
      for (const { reject } of waiting.splice(0)) reject(closing());
      await Promise.all([...children].map((child) => child.stop()));
    },
  };
}
