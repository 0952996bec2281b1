/**
 * Which process serves a data directory: it names itself in a file there, so that a newer one can take over from it. A
 * process id that the system has given to another program since does not count.
 */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * `startTicks`: when it started, in the kernel's clock ticks; null where that is unknown, as on macOS. `obstacle`: why it
 * cannot start a successor; null: it can. `endsWithinMs`: how long its drain takes at most, once it was told to stop; null
 * before. `origin`: where browsers reach it; null until it listens.
 */
export type RunningServer = {
  pid: number;
  startTicks: string | null;
  obstacle: string | null;
  endsWithinMs: number | null;
  origin: string | null;
};

const pathIn = (folder: string) => join(folder, "server.pid");

/** Null: none is running. */
export function runningServer(folder: string): RunningServer | null {
  const server = announcedServer(folder);
  return server !== null && server.pid > 1 && isRunning(server) ? server : null;
}

export function isRunning({ pid, startTicks }: Pick<RunningServer, "pid" | "startTicks">): boolean {
  try {
    process.kill(pid, 0);
    return startTicks === startTicksOf(pid);
  } catch {
    return false;
  }
}

type Announcement = Disposable & {
  listensAt(origin: string): void;
  /** Says that this process was told to stop. */
  end(withinMs: number): void;
};

/** Names this process until it is disposed of, or until another has named itself. */
export function announceServer(folder: string, obstacle: string | null): Announcement {
  const { pid } = process;
  const isNamed = () => announcedServer(folder)?.pid === pid;
  const server: RunningServer = {
    ...{ pid, startTicks: startTicksOf(pid), obstacle },
    ...{ endsWithinMs: null, origin: null },
  };
  const write = (change: Partial<RunningServer> = {}) => {
    const temporary = `${pathIn(folder)}.${pid}`; // renamed into place: others read it at any time
    writeFileSync(temporary, JSON.stringify(Object.assign(server, change)));
    renameSync(temporary, pathIn(folder));
  };
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  write();
  return {
    listensAt: (origin) => isNamed() && write({ origin }),
    end: (endsWithinMs) => isNamed() && write({ endsWithinMs }),
    [Symbol.dispose]() {
      if (isNamed()) rmSync(pathIn(folder), { force: true });
    },
  };
}

/**
 * What the file says, though that process may have ended, or run in another container, where its id means another one here.
 * Null: it says nothing.
 */
export function announcedServer(folder: string): RunningServer | null {
  try {
    const entry = JSON.parse(readFileSync(pathIn(folder), "utf8")) as Partial<RunningServer>;
    const { pid, startTicks = null, obstacle = "its version cannot do that" } = entry;
    const { endsWithinMs = null, origin = null } = entry;
    return Number.isSafeInteger(pid) ? { pid: pid!, startTicks, obstacle, endsWithinMs, origin } : null;
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
