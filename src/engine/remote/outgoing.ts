/**
 * What a connection has to send, in the order that it leaves: messages before samples, and of the samples of several
 * messages a frame of each in turn, so that a long recording delays no short task.
 *
 *   messages  m1 m2 m3 ──────┐
 *   samples   a ▒▒▒▒▒▒▒      ├──> frames, while the socket holds less than `BUFFERED_MAX`
 *             b ▒▒           ┘
 */
import { FRAME_BYTES_MAX } from "./messages.ts";

const HEAD_BYTES = Uint32Array.BYTES_PER_ELEMENT;
/** Half of what a server's sockets may hold before it closes them. */
const BUFFERED_MAX = 512 * 1024;
const RETRY_MS = 2;

type Frame = string | Uint8Array<ArrayBuffer>;

/** The parts of a WebSocket that matter here, of a client or a server. */
export type Socket = {
  send(frame: Frame): unknown;
  bufferedBytes(): number;
  close(code: number, reason: string): void;
};

type Body = { id: number; parts: Uint8Array[]; bytes: number };

export class Outgoing {
  readonly #socket: Socket;
  readonly #messages: string[] = [];
  #bodies: Body[] = [];
  #bytes = 0;
  #timer: Timer | null = null;
  #isClosed = false;
  #movedAtMs = performance.now();

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  /** Samples that wait. */
  get bytes(): number {
    return this.#bytes;
  }

  /** How long the socket has taken nothing, although something waits. */
  stalledMs(): number {
    const isIdle = this.#messages.length === 0 && this.#bodies.length === 0;
    return isIdle ? 0 : performance.now() - this.#movedAtMs;
  }

  /** `text` announces the samples of `parts`, which are read when they leave. */
  add(text: string, id: number, parts: readonly Uint8Array[]): void {
    if (this.#messages.length === 0 && this.#bodies.length === 0) this.#movedAtMs = performance.now();
    this.#messages.push(text);
    const filled = parts.filter(({ length }) => length > 0);
    const bytes = filled.reduce((sum, { length }) => sum + length, 0);
    const waiting = this.#bodies.find((body) => body.id === id);
    if (waiting) {
      waiting.parts.push(...filled); // behind those of the message before
      waiting.bytes += bytes;
    } else if (bytes > 0) this.#bodies.push({ id, parts: filled, bytes });
    this.#bytes += bytes;
    this.#pump();
  }

  /** The rest of the samples of a message does not leave. */
  withdraw(id: number): void {
    for (const body of this.#bodies) if (body.id === id) this.#bytes -= body.bytes;
    this.#bodies = this.#bodies.filter((body) => body.id !== id);
  }

  close(): void {
    this.#isClosed = true;
    if (this.#timer) clearTimeout(this.#timer);
    this.#messages.length = 0;
    this.#bodies = [];
    this.#bytes = 0;
  }

  #pump(): void {
    if (this.#timer || this.#isClosed) return;
    while (this.#socket.bufferedBytes() < BUFFERED_MAX) {
      const frame = this.#messages.shift() ?? this.#nextSamples();
      if (frame === null) return;
      this.#socket.send(frame);
      this.#movedAtMs = performance.now();
    }
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#pump();
    }, RETRY_MS);
  }

  #nextSamples(): Uint8Array<ArrayBuffer> | null {
    const body = this.#bodies.shift();
    if (!body) return null;
    const frame = new Uint8Array(HEAD_BYTES + Math.min(body.bytes, FRAME_BYTES_MAX - HEAD_BYTES));
    new DataView(frame.buffer).setUint32(0, body.id, true);
    let end = HEAD_BYTES;
    while (end < frame.length) {
      const part = body.parts[0]!;
      const taken = part.subarray(0, frame.length - end);
      frame.set(taken, end);
      end += taken.length;
      if (taken.length === part.length) body.parts.shift();
      else body.parts[0] = part.subarray(taken.length);
    }
    const count = frame.length - HEAD_BYTES;
    body.bytes -= count;
    this.#bytes -= count;
    if (body.bytes > 0) this.#bodies.push(body);
    return frame;
  }
}

/** The id and the samples of a binary frame; null where it has no id. */
export function readFrame(frame: Uint8Array): { id: number; bytes: Uint8Array } | null {
  if (frame.length < HEAD_BYTES) return null;
  const id = new DataView(frame.buffer, frame.byteOffset).getUint32(0, true);
  return { id, bytes: frame.subarray(HEAD_BYTES) };
}
