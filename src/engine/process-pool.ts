/**
 * A pool of child processes, for engines whose licence or crashes must stay outside the server's own process.
 *
 *   run ──> waiting ──> an idle child (started when first needed) ──> result
 *
 * After a child has died, the next task starts another.
 */
import { type Child, startProcess } from "./child-process.ts";
import { closing, queueFull, type Runner, type RunnerOptions } from "./runner.ts";

type Waiting = { task: object; resolve: (value: never) => void; reject: (reason: Error) => void };

/** `args` are the arguments of every child. */
type ChildrenOptions = RunnerOptions & { args?: string[] };

export function openProcessPool(script: URL, { size, queueMax, args = [] }: ChildrenOptions): Runner {
  const children = new Set<Child>();
  const waiting: Waiting[] = [];
  let closed = false;

  function start(): Child {
    const child = startProcess({ script, args }, () => {
      children.delete(child);
      feed();
    });
    children.add(child);
    return child;
  }

  function feed(): void {
    while (waiting.length > 0) {
      const idle = [...children].find((child) => !child.busy());
      if (!idle && children.size >= size) return;
      const { task, resolve, reject } = waiting.shift()!;
      const result = (idle ?? start()).run(task) as Promise<never>;
      result.then(resolve, reject).finally(feed);
    }
  }

  return {
    run(task) {
      if (closed) return Promise.reject(closing());
      if (waiting.length >= queueMax) return Promise.reject(queueFull());
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
