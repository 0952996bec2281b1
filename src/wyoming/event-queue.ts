/**
 * The events of a socket, read ahead of their handling so that a client that leaves is noticed during long work. Reading
 * pauses while too much waits.
 */
import type { Socket } from "node:net";
import { FrameDecoder, type WyomingEvent } from "./framing.ts";

const WAITING_BYTES = 1024 * 1024;
const EVENT_BYTES = 512; // overhead per event: empty ones take memory too

/** `sizeBytes`: of the event and of what was read since the one before it. */
type Waiting = { event: WyomingEvent; sizeBytes: number };

type Reader = Pick<Socket, "pause" | "resume">;

export class EventQueue {
  readonly #socket: Reader;
  readonly #decoder = new FrameDecoder();
  readonly #waiting: Waiting[] = [];
  #bytes = 0;
  /** Bytes read since the last complete event. */
  #partBytes = 0;
  #isPaused = false;
  #failure: unknown = null;
  #isClosed = false;
  #wake = () => {};

  constructor(socket: Reader) {
    this.#socket = socket;
  }

  push(bytes: Uint8Array): void {
    if (this.#failure !== null || this.#isClosed) return; // discarded: the connection ends
    this.#partBytes += bytes.length;
    try {
      for (const event of this.#decoder.push(bytes)) this.#keep(event);
    } catch (failure) {
      this.#failure = failure;
    }
    if (this.#bytes > WAITING_BYTES && !this.#isPaused) {
      this.#isPaused = true;
      this.#socket.pause();
    }
    if (this.#isReady) this.#wake();
  }

  /** Whether `next` has an answer without waiting. */
  get #isReady(): boolean {
    return this.#waiting.length > 0 || this.#failure !== null || this.#isClosed;
  }

  #keep(event: WyomingEvent): void {
    const sizeBytes = EVENT_BYTES + this.#partBytes;
    this.#partBytes = 0;
    this.#waiting.push({ event, sizeBytes });
    this.#bytes += sizeBytes;
  }

  /** Whether the client is in the middle of an event. */
  get isInside(): boolean {
    return this.#decoder.isInside;
  }

  /**
   * The next event, "late" if none arrives in time, or null once the queue is closed. Throws what cannot be read, after
   * the events before it.
   */
  async next(timeoutMs: number): Promise<WyomingEvent | null | "late"> {
    if (this.#isClosed) return null;
    if (!this.#isReady) await this.#arrival(timeoutMs);
    if (this.#isClosed) return null;
    const first = this.#waiting.shift();
    if (first) {
      this.#bytes -= first.sizeBytes;
      this.#resume();
      return first.event;
    }
    if (this.#failure !== null) throw this.#failure;
    return "late";
  }

  #resume(): void {
    if (!this.#isPaused || this.#bytes > WAITING_BYTES / 2) return;
    this.#isPaused = false;
    this.#socket.resume();
  }

  /** Parts of an event do not count, so that a slow client cannot keep its connection forever. */
  async #arrival(timeoutMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    const timer = setTimeout(resolve, timeoutMs);
    await promise;
    clearTimeout(timer);
  }

  close(): void {
    this.#isClosed = true;
    this.#wake();
    if (this.#isPaused) this.#socket.resume(); // what follows is discarded
  }
}
