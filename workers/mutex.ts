/** Mutual exclusion of threads, for native code whose libraries keep global state. */

/** `mutex[0]` is shared by all threads: 0 free, 1 taken. Blocks the thread, so never call it on the server's own. */
export function withMutex<T>(mutex: Int32Array<SharedArrayBuffer>, work: () => T): T {
  while (Atomics.compareExchange(mutex, 0, 0, 1) !== 0) Atomics.wait(mutex, 0, 1);
  try {
    return work();
  } finally {
    Atomics.store(mutex, 0, 0);
    Atomics.notify(mutex, 0, 1);
  }
}
