/**
 * Room for what requests hold of one kind, such as uploads: for each organization and for all. What finds none waits at its
 * client, in order of arrival, and organizations take turns. Nothing of an upload is read before its turn.
 */
import { Refusal, retrySeconds, WAIT_MAX_MS } from "../errors.ts";

export type Room = {
  /** Resolves when there is room for so many bytes; one that is alone always has it. Rejects after `WAIT_MAX_MS`. */
  enter(entering: Entering): Promise<Place>;
};

/** Its bytes are free once it is disposed of. */
type Place = Disposable & {
  /** Gives back what it holds beyond so many bytes. */
  shrink(sizeBytes: number): void;
};

type Entering = { organizationId: string; sizeBytes: number; signal: AbortSignal };

/** `turn`: of the last one that was started, counted over all. */
type Queue = { bytes: number; waiting: Waiting[]; turn: number };
type Waiting = { sizeBytes: number; start: () => void };

type RoomOptions = { organizationBytes: number; totalBytes?: number };

export function openRoom({ organizationBytes, totalBytes = Number.POSITIVE_INFINITY }: RoomOptions): Room {
  const queues = new Map<string, Queue>();
  let held = 0;
  let turns = 0;

  const fits = (queue: Queue, sizeBytes: number) =>
    (queue.bytes === 0 || queue.bytes + sizeBytes <= organizationBytes) &&
    (held === 0 || held + sizeBytes <= totalBytes);

  const change = (queue: Queue, byBytes: number) => {
    queue.bytes += byBytes;
    held += byBytes;
  };

  /** Starts one of the organization whose turn is longest ago, of those that have room; false where none has. */
  const startNext = (): boolean => {
    const able = [...queues.values()].filter((queue) => {
      const [next] = queue.waiting;
      return next && fits(queue, next.sizeBytes);
    });
    const [queue] = able.sort((one, other) => one.turn - other.turn);
    const next = queue?.waiting.shift();
    if (!queue || !next) return false;
    queue.turn = ++turns;
    change(queue, next.sizeBytes);
    next.start();
    return true;
  };

  const advance = () => {
    while (startNext());
    for (const [organizationId, { bytes, waiting }] of queues)
      if (bytes === 0 && waiting.length === 0) queues.delete(organizationId);
  };

  return {
    async enter({ organizationId, signal, ...entering }) {
      signal.throwIfAborted();
      let sizeBytes = Math.max(1, entering.sizeBytes);
      const queue = queues.get(organizationId) ?? { bytes: 0, waiting: [], turn: 0 };
      queues.set(organizationId, queue);
      await waitIn(queue, { sizeBytes, signal, advance });
      const shrink = (toBytes: number) => {
        const freedBytes = Math.max(0, sizeBytes - toBytes);
        sizeBytes -= freedBytes;
        change(queue, -freedBytes);
        if (freedBytes > 0) advance();
      };
      return { shrink, [Symbol.dispose]: () => shrink(0) };
    },
  };
}

type Wait = Pick<Entering, "sizeBytes" | "signal"> & { advance: () => void };

/** `advance`: starts those that have room. */
function waitIn(queue: Queue, { sizeBytes, signal, advance }: Wait): Promise<void> {
  return new Promise((resolve, reject) => {
    const over = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", leave);
    };
    const giveUp = (reason: unknown) => {
      over();
      queue.waiting.splice(queue.waiting.indexOf(waiting), 1);
      advance();
      reject(reason);
    };
    const leave = () => giveUp(signal.reason);
    const start = () => {
      over();
      resolve();
    };
    const waiting = { sizeBytes, start };
    const timer = setTimeout(() => giveUp(noRoom()), WAIT_MAX_MS);
    signal.addEventListener("abort", leave);
    queue.waiting.push(waiting);
    advance();
  });
}

const noRoom = () =>
  new Refusal(
    "concurrency_limit_exceeded",
    "Your organization's requests hold too much audio at once. Wait for one to finish.",
    { retryAfterSeconds: retrySeconds(WAIT_MAX_MS) },
  );
