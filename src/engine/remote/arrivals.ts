/** What arrives on a connection: messages with their samples, once all of these are there. Bounded in size and in rate. */
import { BODY_BYTES_MAX, bytesOf, FRAME_BYTES_MAX, type Message, TEXT_MAX } from "./messages.ts";
import { readFrame } from "./outgoing.ts";

/** Frames of one second. Samples come in frames of 64 KiB, so these are more than a gigabyte. */
const FRAMES_PER_SECOND_MAX = 20_000;
/** Samples of messages that are not complete yet. */
const ARRIVING_BYTES_MAX = 256 * 1024 * 1024;

type Arriving<M> = { message: M; body: Uint8Array; filled: number };

/** `value` null: it is no message of the protocol. */
type Check = (value: unknown) => { value: Message | null };

/** The peer broke the protocol; the message is for the log. */
export class ProtocolError extends Error {}

export class Arrivals<M extends Message> {
  readonly #check: Check;
  readonly #deliver: (message: M, body: Uint8Array) => void;
  readonly #arriving = new Map<number, Arriving<M>>();
  #heldBytes = 0;
  #secondFromMs = 0;
  #frames = 0;

  /** `deliver` is called with each complete message, in the order in which they became so. */
  constructor(check: Check, deliver: (message: M, body: Uint8Array) => void) {
    this.#check = check;
    this.#deliver = deliver;
  }

  /** Throws a `ProtocolError`. */
  take(frame: string | Uint8Array): void {
    this.#count();
    if (typeof frame === "string") this.#takeMessage(frame);
    else this.#takeSamples(frame);
  }

  /** What there is of a message is dropped; no more of it comes. */
  discard(id: number): void {
    this.#heldBytes -= this.#arriving.get(id)?.body.length ?? 0;
    this.#arriving.delete(id);
  }

  #count(): void {
    const now = performance.now();
    if (now - this.#secondFromMs >= 1000) {
      this.#secondFromMs = now;
      this.#frames = 0;
    }
    if (++this.#frames > FRAMES_PER_SECOND_MAX) throw new ProtocolError("too many frames in a second");
  }

  #takeMessage(text: string): void {
    if (text.length > TEXT_MAX) throw new ProtocolError("a message is too long");
    const message = this.#check(parsed(text)).value as M | null;
    if (message === null) throw new ProtocolError("a message is not one of the protocol");
    const bytes = bytesOf(message);
    if (bytes === 0) {
      this.#deliver(message, new Uint8Array());
      return;
    }
    if (bytes > BODY_BYTES_MAX || this.#heldBytes + bytes > ARRIVING_BYTES_MAX)
      throw new ProtocolError("a message announces too many samples");
    const { id } = message as Extract<M, { data: unknown }>;
    if (this.#arriving.has(id)) throw new ProtocolError("a message repeats an id");
    this.#heldBytes += bytes;
    this.#arriving.set(id, { message, body: new Uint8Array(bytes), filled: 0 });
  }

  #takeSamples(frame: Uint8Array): void {
    const read = frame.length <= FRAME_BYTES_MAX ? readFrame(frame) : null;
    const arriving = read && this.#arriving.get(read.id);
    if (!read || !arriving || arriving.filled + read.bytes.length > arriving.body.length)
      throw new ProtocolError("samples that no message announced");
    arriving.body.set(read.bytes, arriving.filled);
    arriving.filled += read.bytes.length;
    if (arriving.filled < arriving.body.length) return;
    this.discard(read.id);
    this.#deliver(arriving.message, arriving.body);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ProtocolError("a message is not JSON");
  }
}
