/**
 * Frames of a socket that wait for their turn. Where they are too many, no more are read until all are done; large ones
 * count against what their organization may hold until they are done.
 */
import type { Holding } from "../memory/budget.ts";

export type Frame = string | Buffer;

type Readable = { pause(): void; resume(): void };

const WAITING_BYTES = 256 * 1024;
const FRAME_BYTES = 128; // what one costs besides its content: empty ones fill the memory too

const TURN_MS = 4; // of one socket, before others have theirs
const LARGE_BYTES = 64 * 1024;

/** Twice, for a large frame is held as its text and as the audio in it. */
const heldBytes = (frame: Frame): number => (frame.length > LARGE_BYTES ? 2 * frame.length : 0);

const sizeOf = (frame: Frame): number => frame.length + FRAME_BYTES;

export class Inbox {
  readonly #socket: Readable;
  readonly #frames: Frame[] = [];
  #bytes = 0;
  #inHandBytes = 0;
  #holding: Holding | null = null;
  #turnBeganMs = 0;
  #isClosed = false;
  #wake = () => {};
  isReading = true;

  constructor(socket: Readable) {
    this.#socket = socket;
  }

  /** Once it is known whose they are. Throws where there is no room. */
  countAgainst(holding: Holding): void {
    this.#holding = holding;
    for (const frame of this.#frames) holding.take(heldBytes(frame));
  }

  /** Throws where there is no room for it. */
  push(frame: Frame): void {
    this.#holding?.take(heldBytes(frame));
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
    await this.#letOthers();
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
      this.#turnBeganMs = performance.now();
    }
    return null;
  }

  /** Frames that wait are done without a pause between them, which would keep everybody else waiting. */
  async #letOthers(): Promise<void> {
    if (performance.now() - this.#turnBeganMs < TURN_MS) return;
    await new Promise<void>((resolve) => setImmediate(resolve));
    this.#turnBeganMs = performance.now();
  }

  close(): void {
    this.#isClosed = true;
    this.#holding?.release();
    this.#wake();
  }

  /** What nobody took. */
  rest(): Frame[] {
    return this.#frames.splice(0);
  }
}
