/**
 * The signals that a server handles: SIGTERM, SIGINT and SIGHUP drain it, a second one of them ends it at once, SIGUSR1
 * starts its successor, and SIGUSR2 switches the level of the log.
 */
import { readFileSync } from "node:fs";
import { constants } from "node:os";

const STOPS = ["SIGTERM", "SIGINT", "SIGHUP"] as const;
type Stop = (typeof STOPS)[number];

/** Resolves with the first signal to stop. */
export function stopSignal(): Promise<Stop> {
  const { promise, resolve } = Promise.withResolvers<Stop>();
  let isStopping = false;
  for (const signal of STOPS.filter((each) => each !== "SIGHUP" || !ignoresHangUp())) {
    process.on(signal, () => {
      if (isStopping) process.exit(128 + constants.signals[signal]);
      isStopping = true;
      resolve(signal);
    });
  }
  return promise;
}

export function onDebugSignal(toggle: () => void): void {
  if (process.platform !== "win32") process.on("SIGUSR2", toggle);
}

export function onSuccessionSignal(start: () => void): void {
  if (process.platform === "linux") process.on("SIGUSR1", start);
}

/** Whether it was started with `nohup`, so that a terminal that closes must not stop it. Known on Linux only. */
function ignoresHangUp(): boolean {
  try {
    return isIgnored(readFileSync("/proc/self/status", "utf8"), constants.signals.SIGHUP);
  } catch {
    return false;
  }
}

/** Reads the mask of ignored signals from the status of a process. @internal */
export function isIgnored(status: string, signal: number): boolean {
  const mask = /^SigIgn:\s*([0-9a-f]+)$/m.exec(status)?.[1];
  return mask !== undefined && ((BigInt(`0x${mask}`) >> BigInt(signal - 1)) & 1n) === 1n;
}
