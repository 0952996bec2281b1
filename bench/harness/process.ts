/** Memory and processor time of a process and its descendants, as the kernel counts them. */
import { readdirSync, readFileSync } from "node:fs";

const TICKS_PER_SECOND = 100; // the kernel's own unit, whatever the machine

/** KiB resident; none once it has ended. */
export const residentKib = (pid: number): number =>
  unlessGone(0, () => {
    const kib = Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0);
    return childrenOf(pid)
      .filter((child) => commandOf(child) !== commandOf(pid)) // until it runs its own, a child shares its parent's memory
      .reduce((sum, child) => sum + residentKib(child), kib);
  });

/** `gone`: of a process or thread that has ended. */
function unlessGone<T>(gone: T, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (["ENOENT", "ESRCH"].includes((error as NodeJS.ErrnoException).code ?? "")) return gone;
    throw error;
  }
}

/**
 * KiB that a process would take on a machine of its own: anonymous memory of it and of everything it started, and the files
 * that it maps, also where other processes map them. Its proportional set size would be smaller beside other programs on Bun.
 */
export function ownKib(pid: number): number {
  const { resident, anonymous } = rollupOf(pid);
  return resident - anonymous + anonymousKib(pid);
}

const anonymousKib = (pid: number): number =>
  unlessGone(0, () =>
    childrenOf(pid).reduce((sum, child) => sum + anonymousKib(child), rollupOf(pid).anonymous),
  );

function rollupOf(pid: number) {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
  const kib = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(text)?.[1] ?? 0);
  return { resident: kib("Rss"), anonymous: kib("Anonymous") };
}

const commandOf = (pid: number) => readFileSync(`/proc/${pid}/cmdline`, "latin1");

/** Processes that it started, and that did not end. */
export function childrenOf(pid: number): number[] {
  const threads = readdirSync(`/proc/${pid}/task`);
  const lists = threads.map((thread) =>
    unlessGone("", () => readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8")),
  );
  return lists.flatMap((list) => list.split(" ").filter(Boolean).map(Number));
}

/** Seconds of processor time so far, of the process alone with all its threads. */
export function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]!.split(" ");
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** The same with all that it started, and that ended since. */
export function cpuSecondsOfAll(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]!.split(" ");
  const ended = (Number(fields[13]) + Number(fields[14])) / TICKS_PER_SECOND;
  return childrenOf(pid).reduce((sum, child) => sum + cpuSecondsOfAll(child), cpuSeconds(pid) + ended);
}

/** The same as nanoseconds, of threads that have not ended. */
export const cpuNanoseconds = (pid: number): number =>
  readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => {
    const stat = unlessGone("0", () => readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8"));
    return sum + Number(stat.split(" ")[0]);
  }, 0);

/** Milliseconds so far in which its main thread was ready to run, and other threads had the processors. */
export function queuedMs(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "utf8").split(" ")[1]) / 1e6;
}
