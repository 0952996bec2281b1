/** The part of the event loop that the handling of many small messages may take, so that other work runs beside it. */

const TURN_MS = 4; // for all connections of a share together, before other work of the event loop runs

/**
 * A connection may deliver thousands of messages at once; once handling them has taken `TURN_MS` of an event-loop
 * iteration, the connections of the share continue one per millisecond.
 */
export type EventLoopShare = {
  /** Whether the next message has to wait for its turn. */
  isUsed(): boolean;
  turn(): Promise<void>;
};

export function openEventLoopShare(): EventLoopShare {
  let line = Promise.resolve();
  let beganMs: number | null = null;
  return {
    isUsed() {
      if (beganMs === null) {
        beganMs = performance.now();
        setImmediate(() => {
          beganMs = null;
        });
      }
      return performance.now() - beganMs >= TURN_MS;
    },
    turn() {
      line = line.then(() => new Promise((resolve) => setTimeout(resolve, 1)));
      return line;
    },
  };
}
