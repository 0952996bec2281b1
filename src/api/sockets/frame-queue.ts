/**
 * The queue of a socket's frames. When it is full, reading pauses until it is empty; large frames count against their
 * organization's memory until they are handled, or are not kept where there is no room for them.
 */

import type { Holding } from "../../memory/budget.ts";
import type { EventLoopShare } from "../../memory/event-loop-share.ts";

export type Frame = string | Buffer;

type Readable = { pause(): void; resume(): void };

const WAITING_BYTES = 256 * 1024;
const FRAME_BYTES = 128; // overhead per frame: empty frames take memory too

const LARGE_BYTES = 64 * 1024;
const SLOW_BYTES = 1024 * 1024; // receiving one takes a millisecond or more of its iteration of the event loop

export const isLarge = ({ sizeBytes }: Received): boolean => sizeBytes > LARGE_BYTES;

const nextIteration = () => new Promise((resolve) => setImmediate(resolve));

/** Counted twice, because a large frame is held both as text and as decoded audio. */
const heldBytes = (received: Received): number => (isLarge(received) ? 2 * received.sizeBytes : 0);

const sizeOf = ({ sizeBytes }: Received): number => sizeBytes + FRAME_BYTES;

/** What a socket received; `frame` is null where there was no memory for it, for the reason in `refusal`. */
export type Received = { sizeBytes: number; frame: Frame | null; refusal: unknown };

export class FrameQueue {
  readonly #socket: Readable;
  readonly #share: EventLoopShare;
  readonly #waiting: Received[] = [];
  #bytes = 0;
  #inHandBytes = 0;
  #holding: Holding | null = null;
  #isClosed = false;
  #isComplete = false;
  #wake = () => {};
  isReading = false;

  /** Nothing is read before the first `next`: a socket may send megabytes before it is known whose it is. */
  constructor(socket: Readable, share: EventLoopShare) {
    this.#socket = socket;
    this.#share = share;
    socket.pause();
  }

  /** Called once the organization is known. Throws if there is no room. */
  countAgainst(holding: Holding): void {
    this.#holding = holding;
    for (const received of this.#waiting) holding.take(heldBytes(received));
  }

  push(frame: Frame): void {
    if (this.#isComplete) return;
    const received = this.#admit(frame);
    this.#waiting.push(received);
    this.#bytes += sizeOf(received);
    this.#wake();
    if (this.#bytes <= WAITING_BYTES || !this.isReading) return;
    this.isReading = false;
    this.#socket.pause();
  }

  #admit(frame: Frame): Received {
    const received = { sizeBytes: frame.length, frame, refusal: null };
    try {
      this.#holding?.take(heldBytes(received));
      return received;
    } catch (refusal) {
      return { sizeBytes: frame.length, frame: null, refusal };
    }
  }

  /** The next frame; null once it is closed, or complete and empty. */
  async next(): Promise<Received | null> {
    this.#giveBack();
    if (this.#share.isUsed()) await this.#share.turn();
    while (!this.#isClosed) {
      const received = this.#waiting.shift();
      if (received !== undefined) {
        this.#bytes -= sizeOf(received);
        this.#inHandBytes = received.frame === null ? 0 : heldBytes(received);
        if (received.sizeBytes > SLOW_BYTES) await nextIteration();
        return received;
      }
      if (this.#isComplete) return null;
      if (!this.isReading) {
        this.isReading = true;
        this.#socket.resume();
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return null;
  }

  /** Drops the content of the frame that `next` returned last; of a refused one, only the size is needed. */
  drop(received: Received): void {
    received.frame = null;
    this.#giveBack();
  }

  #giveBack(): void {
    this.#holding?.giveBack(this.#inHandBytes);
    this.#inHandBytes = 0;
  }

  /** Takes no more frames; those that wait are still handled. */
  complete(): void {
    this.#isComplete = true;
    this.#wake();
  }

  close(): void {
    this.#isClosed = true;
    this.#holding?.release();
    this.#wake();
  }

  /** Takes the frames that were not handled. */
  rest(): Frame[] {
    return this.#waiting.splice(0).flatMap(({ frame }) => frame ?? []);
  }
}
