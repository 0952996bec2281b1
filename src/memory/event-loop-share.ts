/** The part of the event loop that the handling of many small messages may take, so that other work runs beside it. */

const TURN_MS = 4; // for all connections of a share together, before other work of the event loop runs
const UNWATCHED_MAX = 16;

/** A connection may deliver thousands of messages at once: they are handled for `TURN_MS` of an event-loop iteration. */
export type EventLoopShare = {
  /** Whether the next message has to wait for its turn. */
  isUsed(): boolean;
  turn(): Promise<void>;
};

/** Those who wait leave other work most of the time. */
export function openEventLoopShare(): EventLoopShare {
  let line = Promise.resolve();
  return {
    isUsed: openWindow(),
    turn() {
      line = line.then(() => new Promise((resolve) => setTimeout(resolve, 1)));
      return line;
    },
  };
}

/** Those who wait continue in the next iteration, for `TURN_MS` of it: where there is no other work, nothing is lost. */
export function openWholeShare(): EventLoopShare {
  const isUsed = openWindow();
  let waiting = 0;
  return {
    isUsed: () => waiting > 0 || isUsed(),
    turn() {
      waiting++;
      return new Promise((resolve) => {
        const next = () => {
          if (isUsed()) return void setImmediate(next);
          waiting--;
          resolve();
        };
        setImmediate(next);
      });
    },
  };
}

/**
 * Whether `TURN_MS` of this iteration have passed. The end of an iteration is awaited only once a few messages have come:
 * that costs about as much as the least of them.
 */
function openWindow(): () => boolean {
  let beganMs = 0;
  let unwatched = 0;
  let isWatched = false;
  const end = () => {
    [isWatched, unwatched] = [false, 0];
  };
  return () => {
    const nowMs = performance.now();
    if (isWatched) return nowMs - beganMs >= TURN_MS;
    if (++unwatched >= UNWATCHED_MAX || nowMs - beganMs >= TURN_MS) {
      [isWatched, beganMs] = [true, nowMs];
      setImmediate(end);
    }
    return false;
  };
}
