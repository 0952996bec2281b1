/**
 * The queue of a socket's frames. When it is full, reading pauses until it is empty; large frames count against their
 * organization's memory until they are handled.
 */
import type { Holding } from "../../../memory/budget.ts";

export type Frame = string | Buffer;

type Readable = { pause(): void; resume(): void };

const WAITING_BYTES = 256 * 1024;
const FRAME_BYTES = 128; // overhead per frame: empty frames take memory too

const TURN_MS = 4; // for all sockets together, before other work of the event loop runs

/**
 * Shares the event loop between sockets and other work. A socket may deliver thousands of frames at once; once handling
 * them has taken `TURN_MS` of an event-loop iteration, sockets continue one per iteration.
 */
export type Turns = { isOver(): boolean; next(): Promise<void> };

export function openTurns(): Turns {
  let line = Promise.resolve();
  let beganMs: number | null = null;
  return {
    isOver() {
      if (beganMs === null) {
        beganMs = performance.now();
        setImmediate(() => {
          beganMs = null;
        });
      }
      return performance.now() - beganMs >= TURN_MS;
    },
    next() {
      line = line.then(() => new Promise((resolve) => setTimeout(resolve, 1)));
      return line;
    },
  };
}

const LARGE_BYTES = 64 * 1024;

/** Counted twice, because a large frame is held both as text and as decoded audio. */
const heldBytes = (frame: Frame): number => (frame.length > LARGE_BYTES ? 2 * frame.length : 0);

const sizeOf = (frame: Frame): number => frame.length + FRAME_BYTES;

export class FrameQueue {
  readonly #socket: Readable;
  readonly #turns: Turns;
  readonly #frames: Frame[] = [];
  #bytes = 0;
  #inHandBytes = 0;
  #holding: Holding | null = null;
  #isClosed = false;
  #wake = () => {};
  isReading = true;

  constructor(socket: Readable, turns: Turns) {
    this.#socket = socket;
    this.#turns = turns;
  }

  get waitingBytes(): number {
    return this.#bytes;
  }

  /** Called once the organization is known. Throws if there is no room. */
  countAgainst(holding: Holding): void {
    this.#holding = holding;
    for (const frame of this.#frames) holding.take(heldBytes(frame));
  }

  /** Throws if there is no room for it. */
  push(frame: Frame): void {
    if (frame.length > LARGE_BYTES) this.#holding?.take(heldBytes(frame));
    this.#frames.push(frame);
    this.#bytes += sizeOf(frame);
    this.#wake();
    if (this.#bytes <= WAITING_BYTES || !this.isReading) return;
    this.isReading = false;
    this.#socket.pause();
  }

  /** The next frame, or null once it is closed. */
  async next(): Promise<Frame | null> {
    this.#holding?.giveBack(this.#inHandBytes);
    this.#inHandBytes = 0;
    if (this.#turns.isOver()) await this.#turns.next();
    while (!this.#isClosed) {
      const frame = this.#frames.shift();
      if (frame !== undefined) {
        this.#bytes -= sizeOf(frame);
        this.#inHandBytes = heldBytes(frame);
        return frame;
      }
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

  close(): void {
    this.#isClosed = true;
    this.#holding?.release();
    this.#wake();
  }

  /** Takes the frames that were not handled. */
  rest(): Frame[] {
    return this.#frames.splice(0);
  }
}
