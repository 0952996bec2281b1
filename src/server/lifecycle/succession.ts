/**
 * How a running server starts its successor when `loquat upgrade` asks for it:
 *
 *   upgrade      handover.json ──SIGUSR1──> this server starts the executable with its own arguments and --take-over
 *   successor    ready ──> listens ──> server.pid ──SIGTERM──> this server drains and ends
 *                  └── ends, or is not ready in time ──> this server says why in handover.json, and goes on
 *
 * The server starts it, and not the command, so that it has the server's user, environment, folder and service.
 */
import type { Log } from "../../log/log.ts";
import { readHandoverNote, writeHandoverNote } from "./handover-note.ts";
import { runningServer } from "./running-server.ts";
import { notifyServiceManager } from "./service-manager.ts";
import { onSuccessionSignal } from "./signals.ts";

/** Migrations and the first engine are within it. */
const READY_WITHIN_MS = 60_000;

const TAKE_OVER = "--take-over";

type Options = { folder: string; log: Log; notifySocket: string | null; readyWithinMs?: number };

export type Succession = {
  /** To be called when the server was told to stop. True: its successor listens. Another successor is ended. */
  end(): boolean;
};

export function openSuccession(options: Options): Succession {
  const { folder, log, notifySocket } = options;
  let successor: Bun.Subprocess | null = null;
  const listens = ({ pid }: Bun.Subprocess) => runningServer(folder)?.pid === pid;

  async function start(): Promise<void> {
    const note = readHandoverNote(folder);
    if (successor !== null || note === null) return;
    const { executable } = note;
    log.info("handover_started", { executable });
    const failure = await failureOf(executable).catch((error: Error) => error.message);
    successor = null;
    log.error("handover_failed", { executable, failure });
    writeHandoverNote(folder, { executable, failure });
  }

  /** Resolves when the successor has ended: this server has ended before, unless it did not take over. */
  async function failureOf(executable: string): Promise<string> {
    const child = startSuccessor(executable);
    successor = child;
    let isLate = false;
    const timer = setTimeout(() => {
      if (listens(child)) return;
      isLate = true;
      child.kill("SIGKILL");
    }, options.readyWithinMs ?? READY_WITHIN_MS);
    timer.unref();
    const code = await child.exited;
    clearTimeout(timer);
    return isLate ? "it was not ready in time" : `it ended with exit code ${code}: see the server's log`;
  }

  onSuccessionSignal(() => void start());
  return {
    end() {
      if (successor === null) return false;
      if (listens(successor)) {
        notifyServiceManager(notifySocket, `MAINPID=${successor.pid}`);
        return true;
      }
      successor.kill("SIGTERM");
      return false;
    },
  };
}

/** In a session of its own, which outlives the terminal of this server as the server itself does. */
function startSuccessor(executable: string): Bun.Subprocess {
  const args = process.argv.slice(2).filter((arg) => arg !== TAKE_OVER);
  const child = Bun.spawn([executable, ...args, TAKE_OVER], {
    stdio: ["ignore", "inherit", "inherit"],
    detached: true,
  });
  child.unref();
  return child;
}
