/**
 * One child process that works on one task at a time.
 *
 * A child that exceeds the time limit of a task is killed; one that dies fails the task it had.
 */
import type { ProcessReply, ProcessRequest } from "./protocol/child-process.ts";
import { workerProcess } from "./worker-process.ts";

export type Child = {
  run(task: object): Promise<unknown>;
  busy(): boolean;
  stop(): Promise<unknown>;
};

type Current = {
  id: number;
  resolve: (value: unknown) => void;
  reject: (reason: Error) => void;
  timer: Timer;
};

const TASK_LIMIT_MS = 60_000; // far above the longest segment

/**
 * JavaScriptCore's optimizing compiler takes up to 0.4 s for a function of eSpeak NG. Here it compiles what has run 400,000
 * times, not 100,000, which saves a tenth of the processor time of the first hour of audio of a process. A release of Bun that
 * does not know the option would end at once, so only those get it that it was tried with.
 */
const COMPILER = Bun.semver.satisfies(Bun.version, "~1.4.5")
  ? { BUN_JSC_thresholdForFTLOptimizeAfterWarmUp: "400000" }
  : {};

export type Program = { script: URL; args: string[] };

/** `onExit` is called once, when the process has ended. */
export function startProcess({ script, args }: Program, onExit: () => void): Child {
  let current: Current | null = null;
  let lastId = 0;
  const release = (): Current | null => {
    const released = current;
    if (released) clearTimeout(released.timer);
    current = null;
    return released;
  };
  const { cmd, env } = workerProcess(script, args);
  const child = Bun.spawn({
    cmd,
    env: { ...env, ...COMPILER },
    stdio: ["ignore", "ignore", "ignore"],
    serialization: "advanced",
    ipc({ id, result, error }: ProcessReply) {
      if (current?.id !== id) return;
      const { resolve, reject } = release()!;
      if (error === undefined) resolve(result);
      else reject(new Error(error));
    },
    onExit() {
      release()?.reject(new Error("the engine's process ended during a task"));
      onExit();
    },
  });
  return {
    run(task) {
      const id = ++lastId;
      return new Promise((resolve, reject) => {
        current = { id, resolve, reject, timer: setTimeout(() => child.kill("SIGKILL"), TASK_LIMIT_MS) };
        child.send({ id, task } satisfies ProcessRequest);
      });
    },
    busy: () => current !== null,
    stop() {
      child.kill();
      return child.exited;
    },
  };
}
