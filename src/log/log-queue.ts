/**
 * A bounded queue between the log and standard error, which may be read slowly or not at all: at most `charactersMax`
 * wait, further lines are dropped and counted, and one line reports the count once there is room again. The server never
 * waits for the reader.
 *
 *   log ──line──> waiting (bounded) ──written──> reader
 *                   └─ full: dropped++            └─ half empty again: "12 lines were dropped"
 */

/** Writes without blocking, and calls `written` when the text left the process, or never can. */
export type Send = (text: string, written: () => void) => void;

export type LogQueue = {
  write(line: string): void;
  /** Lines dropped since the start. */
  dropped(): number;
  /** True once nothing waits; false where that takes longer. */
  flushed(limitMs: number): Promise<boolean>;
};

type QueueOptions = {
  charactersMax: number;
  /** The line that reports dropped lines. */
  reportOf: (dropped: number) => string;
};

export function openLogQueue(send: Send, { charactersMax, reportOf }: QueueOptions): LogQueue {
  let waiting = 0;
  let dropped = 0;
  let unreported = 0;
  let wake = () => {};

  const pass = (line: string) => {
    waiting += line.length;
    send(line, () => {
      waiting -= line.length;
      if (unreported > 0 && waiting <= charactersMax / 2) {
        const count = unreported;
        unreported = 0;
        pass(reportOf(count));
      }
      if (waiting === 0) wake();
    });
  };

  return {
    write(line) {
      if (waiting + line.length <= charactersMax) return pass(line);
      dropped++;
      unreported++;
    },
    dropped: () => dropped,
    async flushed(limitMs) {
      if (waiting === 0) return true;
      const { promise, resolve } = Promise.withResolvers<boolean>();
      wake = () => resolve(true);
      const timer = setTimeout(() => resolve(false), limitMs);
      const isEmpty = await promise;
      clearTimeout(timer);
      return isEmpty;
    },
  };
}
