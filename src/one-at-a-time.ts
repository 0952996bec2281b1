/** Work that is begun from several places or again and again, and never runs twice at once. */

export type OneAtATime = {
  /** Begins a run, or joins the one under way. Never fails. */
  run(): Promise<void>;
  /** The run under way; null: none. */
  running(): Promise<void> | null;
};

/** `failed`: called with the error of a run. */
export function oneAtATime(work: () => Promise<void>, failed: (cause: unknown) => void): OneAtATime {
  let running: Promise<void> | null = null;
  return {
    async run() {
      running ??= work()
        .catch(failed)
        .finally(() => {
          running = null;
        });
      await running;
    },
    running: () => running,
  };
}

/** A run begins every so many milliseconds, until it is disposed of, which waits for the run under way. */
export function repeating(
  everyMs: number,
  work: () => Promise<void>,
  failed: (cause: unknown) => void,
): Pick<OneAtATime, "run"> & AsyncDisposable {
  const { run, running } = oneAtATime(work, failed);
  const timer = setInterval(run, everyMs).unref();
  return {
    run,
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await running();
    },
  };
}
