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

/** Messages with one id whose samples are not there yet. */
const WAITING_MAX = 1000;

/** The peer broke the protocol; the message is for the log. */
export class ProtocolError extends Error {}

export class Arrivals<M extends Message> {
  readonly #check: Check;
  readonly #deliver: (message: M, body: Uint8Array) => void;
  /** By id, in the order of their messages. */
  readonly #arriving = new Map<number, Arriving<M>[]>();
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
    for (const { body } of this.#arriving.get(id) ?? []) this.#heldBytes -= body.length;
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
    const id = "id" in message ? message.id : 0;
    const before = this.#arriving.get(id);
    if (bytes === 0 && (!before || message.type === "cancel")) {
      this.#deliver(message, new Uint8Array());
      return;
    }
    if (bytes > BODY_BYTES_MAX || this.#heldBytes + bytes > ARRIVING_BYTES_MAX)
      throw new ProtocolError("a message announces too many samples");
    if (before && message.type === "task") throw new ProtocolError("a message repeats an id");
    if (before && before.length >= WAITING_MAX) throw new ProtocolError("too many messages with one id");
    this.#heldBytes += bytes;
    const arriving = { message, body: new Uint8Array(bytes), filled: 0 };
    if (before) before.push(arriving);
    else this.#arriving.set(id, [arriving]);
  }

  #takeSamples(frame: Uint8Array): void {
    const read = frame.length <= FRAME_BYTES_MAX ? readFrame(frame) : null;
    if (!read) throw new ProtocolError("samples that no message announced");
    for (let { bytes } = read; bytes.length > 0; ) {
      const arriving = this.#arriving.get(read.id)?.[0];
      if (!arriving) throw new ProtocolError("samples that no message announced");
      const taken = bytes.subarray(0, arriving.body.length - arriving.filled);
      arriving.body.set(taken, arriving.filled);
      arriving.filled += taken.length;
      bytes = bytes.subarray(taken.length);
      this.#deliverComplete(read.id);
    }
  }

  /** Of the messages with this id, those whose samples are all there; one may be without any. */
  #deliverComplete(id: number): void {
    for (;;) {
      const waiting = this.#arriving.get(id);
      const first = waiting?.[0];
      if (!waiting || !first || first.filled < first.body.length) return;
      this.#heldBytes -= first.body.length;
      waiting.shift();
      if (waiting.length === 0) this.#arriving.delete(id);
      this.#deliver(first.message, first.body);
    }
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ProtocolError("a message is not JSON");
  }
}
