/**
 * The events of a socket. Bytes are read ahead, so that a client that leaves is noticed during long work, and become events
 * one at a time, each in its turn of the event loop. Reading pauses while too much waits.
 */
import type { Socket } from "node:net";
import type { EventLoopShare } from "../memory/event-loop-share.ts";
import { FrameDecoder, type WyomingEvent } from "./framing.ts";

const WAITING_BYTES = 1024 * 1024;

type Reader = Pick<Socket, "pause" | "resume">;

export class EventQueue {
  readonly #socket: Reader;
  readonly #share: EventLoopShare;
  readonly #decoder = new FrameDecoder();
  readonly #waiting: Uint8Array[] = [];
  /** Of the first bytes that wait. */
  #events: Iterator<WyomingEvent> | null = null;
  #bytes = 0;
  #isPaused = false;
  #isClosed = false;
  #wake = () => {};

  constructor(socket: Reader, share: EventLoopShare) {
    this.#socket = socket;
    this.#share = share;
  }

  push(bytes: Uint8Array): void {
    if (this.#isClosed) return;
    this.#waiting.push(bytes);
    this.#bytes += bytes.length;
    if (this.#bytes > WAITING_BYTES && !this.#isPaused) {
      this.#isPaused = true;
      this.#socket.pause();
    }
    this.#wake();
  }

  /** Whether the client is in the middle of an event, or more of it waits here. */
  get isInside(): boolean {
    return this.#bytes > 0 || this.#decoder.isInside;
  }

  /**
   * The next event, "late" if none is complete in time, or null once the queue is closed. Throws what cannot be read, after
   * the events before it; nothing can be read then. Parts of an event do not count, so that a slow client cannot keep its
   * connection forever.
   */
  async next(timeoutMs: number): Promise<WyomingEvent | null | "late"> {
    const untilMs = performance.now() + timeoutMs;
    if (this.#share.isUsed()) await this.#share.turn();
    while (!this.#isClosed) {
      const event = this.#decoded();
      if (event) return event;
      const leftMs = untilMs - performance.now();
      if (leftMs <= 0) return "late";
      await this.#arrival(leftMs);
    }
    return null;
  }

  /** Null where the bytes that wait hold no complete event; they are taken. */
  #decoded(): WyomingEvent | null {
    for (;;) {
      const [first] = this.#waiting;
      if (!first) return null;
      this.#events ??= this.#decoder.push(first);
      const { value } = this.#events.next();
      if (value) return value;
      this.#events = null;
      this.#waiting.shift();
      this.#bytes -= first.length;
      this.#resume();
    }
  }

  #resume(): void {
    if (!this.#isPaused || this.#bytes > WAITING_BYTES / 2) return;
    this.#isPaused = false;
    this.#socket.resume();
  }

  async #arrival(timeoutMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    const timer = setTimeout(resolve, timeoutMs);
    await promise;
    clearTimeout(timer);
  }

  close(): void {
    this.#isClosed = true;
    this.#waiting.length = 0;
    this.#bytes = 0;
    this.#wake();
    if (this.#isPaused) this.#socket.resume(); // what follows is discarded
  }
}
