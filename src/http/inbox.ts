/** Frames of a socket that wait for their turn. Where they are too many, no more are read until all are done. */
export type Frame = string | Buffer;

type Readable = { pause(): void; resume(): void };

const WAITING_BYTES = 256 * 1024;
const FRAME_BYTES = 128; // what one costs besides its content: empty ones fill the memory too

const sizeOf = (frame: Frame): number => frame.length + FRAME_BYTES;

export class Inbox {
  readonly #socket: Readable;
  readonly #frames: Frame[] = [];
  #bytes = 0;
  #isClosed = false;
  #wake = () => {};
  isReading = true;

  constructor(socket: Readable) {
    this.#socket = socket;
  }

  push(frame: Frame): void {
    this.#frames.push(frame);
    this.#bytes += sizeOf(frame);
    this.#wake();
    if (this.#bytes <= WAITING_BYTES || !this.isReading) return;
    this.isReading = false;
    this.#socket.pause();
  }

  /** The next frame, or null once it is closed. */
  async next(): Promise<Frame | null> {
    while (!this.#isClosed) {
      const frame = this.#frames.shift();
      if (frame !== undefined) {
        this.#bytes -= sizeOf(frame);
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
    this.#wake();
  }

  /** What nobody took. */
  rest(): Frame[] {
    return this.#frames.splice(0);
  }
}
