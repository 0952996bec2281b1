/** Reads a small table once a second, so that an edit by another process or node is noticed by every node. */

const EVERY_MS = 1000;

/** `failed` is called when reading fails, once until it succeeds again. */
export function readEverySecond(
  read: () => Promise<unknown>,
  failed: (cause: unknown) => void,
): AsyncDisposable {
  let reading: Promise<void> | null = null;
  let isFailing = false;
  const once = async () => {
    try {
      await read();
      isFailing = false;
    } catch (cause) {
      if (!isFailing) failed(cause);
      isFailing = true;
    }
  };
  const timer = setInterval(() => {
    reading ??= once().finally(() => {
      reading = null;
    });
  }, EVERY_MS);
  timer.unref();
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await reading;
    },
  };
}
