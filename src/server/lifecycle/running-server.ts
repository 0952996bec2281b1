/**
 * Which process serves a data directory: it names itself in a file there, so that a newer one can take over from it. A
 * process id that the system has given to another program since does not count.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * `startTicks`: when it started, in the kernel's clock ticks; null where that is unknown, as on macOS. `obstacle`: why it
 * cannot start a successor; null: it can.
 */
export type RunningServer = { pid: number; startTicks: string | null; obstacle: string | null };

const pathIn = (folder: string) => join(folder, "server.pid");

/** Null: none is running. */
export function runningServer(folder: string): RunningServer | null {
  const server = readEntry(folder);
  return server !== null && isRunning(server) ? server : null;
}

export function isRunning({ pid, startTicks }: Omit<RunningServer, "obstacle">): boolean {
  try {
    process.kill(pid, 0);
    return startTicks === startTicksOf(pid);
  } catch {
    return false;
  }
}

/** Names this process until it is disposed of, or until another has named itself. */
export function announceServer(folder: string, obstacle: string | null): Disposable {
  const { pid } = process;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(pathIn(folder), JSON.stringify({ pid, startTicks: startTicksOf(pid), obstacle }));
  return {
    [Symbol.dispose]() {
      if (readEntry(folder)?.pid === pid) rmSync(pathIn(folder), { force: true });
    },
  };
}

function readEntry(folder: string): RunningServer | null {
  try {
    const entry = JSON.parse(readFileSync(pathIn(folder), "utf8")) as Partial<RunningServer>;
    const { pid, startTicks = null, obstacle = "its version cannot do that" } = entry;
    return Number.isSafeInteger(pid) && pid! > 1 ? { pid: pid!, startTicks, obstacle } : null;
  } catch {
    return null; // there is none, or it is damaged
  }
}

const START_TICKS_FIELD = 19; // after the name of the program, which may hold spaces

function startTicksOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[START_TICKS_FIELD] ?? null;
  } catch {
    return null;
  }
}
