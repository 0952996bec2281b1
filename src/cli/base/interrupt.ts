/** What a command removes when it is interrupted. */
const SIGNALS = { SIGINT: 130, SIGTERM: 143 } as const;

/** Until it is disposed of, an interrupt calls `remove` and ends the process. */
export function onInterrupt(remove: () => void): Disposable {
  const handlers = Object.entries(SIGNALS).map(([signal, code]) => {
    const end = () => {
      remove();
      process.exit(code);
    };
    process.once(signal, end);
    return () => void process.off(signal, end);
  });
  return {
    [Symbol.dispose]() {
      for (const release of handlers) release();
    },
  };
}
