/**
 * A pool of child processes, for engines whose licence or crashes must stay outside the server's own process.
 *
 *   run ──> waiting ──> an idle child (started when first needed) ──> result
 *
 * After a child has died, the next task starts another. Where one after another dies and none ends a task in between, the
 * pool pauses before it starts the next, up to ten seconds, and refuses tasks meanwhile: an engine that cannot run must
 * not keep the machine busy with starting it.
 */
import { type Child, startProcess } from "./child-process.ts";
import { closing, queueFull, type Runner, type RunnerOptions, restarting } from "./runner.ts";

type Waiting = { task: object; resolve: (value: never) => void; reject: (reason: Error) => void };

/** Called when a child has died, with how long the pool pauses. */
export type ChildDied = (pausedMs: number) => void;

/** `args` are the arguments of every child. */
type ChildrenOptions = RunnerOptions & { args?: string[]; died?: ChildDied | undefined };

const PAUSE_MIN_MS = 100;
const PAUSE_MAX_MS = 10_000;

/** After so many deaths in a row; the first may have had its reason in one task. @internal */
export const pauseMs = (deaths: number): number =>
  deaths < 2 ? 0 : Math.min(PAUSE_MAX_MS, PAUSE_MIN_MS * 2 ** (deaths - 2));

export function openProcessPool(script: URL, { size, queueMax, args = [], died }: ChildrenOptions): Runner {
  const children = new Set<Child>();
  const waiting: Waiting[] = [];
  let closed = false;
  let deathsInARow = 0;
  let pausedUntilMs = 0; // on the clock of `performance`

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
    const ms = pauseMs(++deathsInARow);
    pausedUntilMs = performance.now() + ms;
    died?.(ms);
    if (ms > 0) for (const { reject } of waiting.splice(0)) reject(restarting(ms));
  }

  function feed(): void {
    while (waiting.length > 0) {
      const idle = [...children].find((child) => !child.busy());
      if (!idle && children.size >= size) return;
      const { task, resolve, reject } = waiting.shift()!;
      const result = (idle ?? start()).run(task) as Promise<never>;
      const succeed = (value: never) => {
        deathsInARow = 0;
        resolve(value);
      };
      result.then(succeed, reject).finally(feed);
    }
  }

  return {
    run(task) {
      if (closed) return Promise.reject(closing());
      const leftMs = pausedUntilMs - performance.now();
      if (leftMs > 0 && children.size === 0) return Promise.reject(restarting(leftMs));
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
