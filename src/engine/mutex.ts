/** One thread at a time: for native code whose libraries keep state that two threads would tear. */

/** `turn[0]` is shared by all who wait: 0 free, 1 taken. Blocks its thread, so never the server's own. */
export function withMutex<T>(turn: Int32Array<SharedArrayBuffer>, work: () => T): T {
  while (Atomics.compareExchange(turn, 0, 0, 1) !== 0) Atomics.wait(turn, 0, 1);
  try {
    return work();
  } finally {
    Atomics.store(turn, 0, 0);
    Atomics.notify(turn, 0, 1);
  }
}
