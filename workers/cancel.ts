/** What becomes of a task that is no longer needed: its failure is ignored. */
export const cancelled = (): Error => new Error("the request was cancelled");

/** The flag by which the server says that a task is no longer needed; without one it always is. */
export const isCancelled = (cancel?: Int32Array): boolean =>
  cancel !== undefined && Atomics.load(cancel, 0) !== 0;
