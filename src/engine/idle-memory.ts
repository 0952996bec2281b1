/**
 * Gives the system what engines have freed and the C library keeps, once none of them has had a task for a while. Trimming
 * takes milliseconds, for which no task waits then.
 */
import { returnFreeMemory } from "../natives/libc.ts";

export type IdleMemory = Disposable & {
  begun(): void;
  ended(): void;
  /** An engine was unloaded. */
  unloaded(): void;
};

type IdleMemoryOptions = { quietMs?: number; giveBack?: () => unknown };

const QUIET_MS = 10_000;

export function openIdleMemory({
  quietMs = QUIET_MS,
  giveBack = returnFreeMemory,
}: IdleMemoryOptions = {}): IdleMemory {
  let running = 0;
  let timer: Timer | null = null;
  const stop = () => {
    if (timer) clearTimeout(timer);
    timer = null;
  };
  const wait = () => {
    stop();
    if (running > 0) return;
    timer = setTimeout(giveBack, quietMs);
    timer.unref();
  };
  return {
    begun() {
      running++;
      stop();
    },
    ended() {
      running--;
      wait();
    },
    unloaded: wait,
    [Symbol.dispose]: stop,
  };
}
