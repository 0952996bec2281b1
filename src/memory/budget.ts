/**
 * The memory that requests may hold: recordings as they arrive and as they are decoded.
 *
 * The server has one limit and each organization half of it, so that no organization can use it all. Uploads and what is
 * decoded of them wait for their parts of it, in rooms; beyond the limits, a request is refused with the time to wait.
 *
 *   │ uploads as they arrive │ recordings, decoded │ live audio and what else is taken │
 *     3/8                      1/2                    the rest
 */

import { Refusal, retrySeconds, WAIT_MAX_MS } from "../errors.ts";
import { TransientMap } from "../transient.ts";

/** The bytes one request holds, released when it ends. */
export type Holding = {
  /** Throws if there is no room; bytes taken before stay taken. */
  take(sizeBytes: number): void;
  giveBack(sizeBytes: number): void;
  /** Waits for room for an upload, until it is disposed of. */
  upload(sizeBytes: number, signal: AbortSignal): Promise<Disposable>;
  /** Waits for room for so many of the longest recordings. Returns what is to be called with their true size, if there is any. */
  decode(count: number, signal: AbortSignal): Promise<(sizeBytes: number) => void>;
  release(): void;
};

export type Budget = { open(organizationId: string): Holding; heldBytes(): number };

const RETRY = { retryAfterSeconds: 2 };
const UPLOADS = 3 / 8;
const DECODED = 1 / 2;

/** 601 s of 16 kHz: before it is decoded, a file of any size may hold as much. */
const RECORDING_BYTES = 601 * 16_000 * Float32Array.BYTES_PER_ELEMENT;

export function openBudget(limitBytes: number): Budget {
  const held = new Map<string, number>();
  let total = 0;
  const roomFor = (share: number) =>
    openRoom({ organizationBytes: (limitBytes / 2) * share, totalBytes: limitBytes * share });
  const uploads = roomFor(UPLOADS);
  const decoded = roomFor(DECODED);
  const add = (organizationId: string, sizeBytes: number) => {
    const usedBytes = (held.get(organizationId) ?? 0) + sizeBytes;
    total += sizeBytes;
    if (usedBytes > 0) held.set(organizationId, usedBytes);
    else held.delete(organizationId);
  };
  const check = (organizationId: string, sizeBytes: number) => {
    if ((held.get(organizationId) ?? 0) + sizeBytes > limitBytes / 2) {
      const message = "Your organization's requests hold too much audio at once. Wait for one to finish.";
      throw new Refusal("concurrency_limit_exceeded", message, RETRY);
    }
    if (total + sizeBytes > limitBytes) {
      throw new Refusal(
        "service_unavailable",
        "The server is holding too much audio. Try again in a moment.",
        RETRY,
      );
    }
  };
  return {
    heldBytes: () => total,
    open(organizationId) {
      let usedBytes = 0;
      const places = new DisposableStack();
      const move = (sizeBytes: number) => {
        add(organizationId, sizeBytes);
        usedBytes += sizeBytes;
      };
      return {
        take(sizeBytes) {
          check(organizationId, sizeBytes);
          move(sizeBytes);
        },
        giveBack: (sizeBytes) => move(-Math.min(usedBytes, sizeBytes)),
        upload: (sizeBytes, signal) => uploads.enter({ organizationId, sizeBytes, signal }),
        async decode(count, signal) {
          const place = await decoded.enter({ organizationId, sizeBytes: count * RECORDING_BYTES, signal });
          if (places.disposed) place[Symbol.dispose]();
          else places.use(place);
          return place.shrink;
        },
        release() {
          move(-usedBytes);
          places.dispose();
        },
      };
    },
  };
}

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

/**
 * Room for what requests hold of one kind, such as uploads: for each organization and for all. What finds none waits at its
 * client, in order of arrival, and organizations take turns. Nothing of an upload is read before its turn.
 */
export function openRoom({ organizationBytes, totalBytes = Number.POSITIVE_INFINITY }: RoomOptions): Room {
  const queues = new TransientMap<string, Queue>();
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
