/** Asks the running server to start its successor, and waits for the result. */
import {
  readHandoverNote,
  removeHandoverNote,
  writeHandoverNote,
} from "../../server/lifecycle/handover-note.ts";
import { isRunning, type RunningServer, runningServer } from "../../server/lifecycle/running-server.ts";
import { UpgradeError } from "./upgrade-error.ts";

const POLL_MS = 50;
const RESULT_WITHIN_MS = 90_000; // the server gives its successor 60 s

/** Returns the process that listens now. Throws where the running server goes on. */
export async function handOver(
  folder: string,
  { from, executable }: { from: RunningServer; executable: string },
): Promise<number> {
  writeHandoverNote(folder, { executable, failure: null });
  const until = performance.now() + RESULT_WITHIN_MS;
  try {
    signal(from);
    for (;;) {
      const server = runningServer(folder);
      if (server !== null && server.pid !== from.pid) return server.pid;
      const failure = readHandoverNote(folder)?.failure ?? null;
      if (failure !== null) throw new UpgradeError(`The new process did not become ready: ${failure}.`);
      if (!isRunning(from))
        throw new UpgradeError("The running server ended before its successor was ready.");
      if (performance.now() > until) throw new UpgradeError("The running server did not answer in time.");
      await Bun.sleep(POLL_MS);
    }
  } finally {
    removeHandoverNote(folder);
  }
}

function signal({ pid }: RunningServer): void {
  try {
    process.kill(pid, "SIGUSR1");
  } catch (error) {
    throw new UpgradeError(`Process ${pid}, which serves, cannot be asked: ${(error as Error).message}.`);
  }
}
