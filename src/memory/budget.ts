/**
 * The memory that requests may hold: recordings as they arrive and as they are decoded.
 *
 * The server has one limit and each organization half of it, so that no organization can use it all. Uploads and what is
 * decoded of them wait for their parts of it; beyond the limits, a request is refused with the time to wait.
 *
 *   │ uploads as they arrive │ recordings, decoded │ live audio and what else is taken │
 *     3/8                      1/2                    the rest
 */
import { Refusal } from "../errors.ts";
import { openRoom } from "./room.ts";

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
