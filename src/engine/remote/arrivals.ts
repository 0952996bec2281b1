/** What arrives on a connection: messages with their samples, once all of these are there. Bounded in size and in rate. */

import { TransientMap } from "../../transient.ts";
import { BODY_BYTES_MAX, bytesOf, FRAME_BYTES_MAX, type Message, TEXT_MAX } from "./messages.ts";
import { readFrame } from "./outgoing.ts";

/** Frames of one second. Samples come in frames of 64 KiB, so these are more than a gigabyte. */
const FRAMES_PER_SECOND_MAX = 20_000;
/** Characters of the messages of one second: as many take some 50 ms of this process. */
const CHARACTERS_PER_SECOND_MAX = 8 * 1024 * 1024;
/** Samples of messages that are not complete yet. */
const ARRIVING_BYTES_MAX = 256 * 1024 * 1024;

/** `body` null: it is of no use any more. `movedAtMs`: when it was announced, or its samples came last. */
type Arriving<M> = {
  message: M;
  bytes: number;
  body: Uint8Array | null;
  filled: number;
  movedAtMs: number;
};

/** `value` null: it is no message of the protocol. */
type Check = (value: unknown) => { value: Message | null };

/** Messages with one id whose samples are not there yet. */
const WAITING_MAX = 1000;

/** How long samples that a message announced may stay away. */
const STALLED_MS = 30_000;

/** The peer broke the protocol; the message is for the log. */
export class ProtocolError extends Error {}

type Receiver<M> = {
  /** Whether a message with so many bytes of samples is of use; where it is not, they are not kept. */
  takes(message: M, bytes: number): boolean;
  /** Called with each complete message, in the order in which they became so. */
  deliver(message: M, body: Uint8Array): void;
};

export class Arrivals<M extends Message> {
  readonly #check: Check;
  readonly #receiver: Receiver<M>;
  /** By id, in the order of their messages. */
  readonly #arriving = new TransientMap<number, Arriving<M>[]>();
  #heldBytes = 0;
  #secondFromMs = 0;
  #frames = 0;
  #characters = 0;

  constructor(check: Check, receiver: Receiver<M>) {
    this.#check = check;
    this.#receiver = receiver;
  }

  /** Throws a `ProtocolError`. */
  take(frame: string | Uint8Array): void {
    this.#count(typeof frame === "string" ? frame.length : 0);
    if (typeof frame === "string") this.#takeMessage(frame);
    else this.#takeSamples(frame);
  }

  /** The ids whose announced samples stay away. */
  stalled(): number[] {
    const sinceMs = performance.now() - STALLED_MS;
    return [...this.#arriving].flatMap(([id, [first]]) =>
      first?.body && first.movedAtMs < sinceMs ? [id] : [],
    );
  }

  /** What there is of a message is dropped; no more of it comes. */
  discard(id: number): void {
    this.ignore(id);
    this.#arriving.delete(id);
  }

  /** What there is of a message is dropped, and so is what still comes. */
  ignore(id: number): void {
    for (const arriving of this.#arriving.get(id) ?? []) {
      if (arriving.body) this.#heldBytes -= arriving.bytes;
      arriving.body = null;
    }
  }

  #count(characters: number): void {
    const now = performance.now();
    if (now - this.#secondFromMs >= 1000) {
      this.#secondFromMs = now;
      this.#frames = 0;
      this.#characters = 0;
    }
    this.#characters += characters;
    if (this.#characters > CHARACTERS_PER_SECOND_MAX)
      throw new ProtocolError("too many messages in a second");
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
      this.#receiver.deliver(message, new Uint8Array());
      return;
    }
    if (bytes > BODY_BYTES_MAX || this.#heldBytes + bytes > ARRIVING_BYTES_MAX)
      throw new ProtocolError("a message announces too many samples");
    if (before && message.type === "task") throw new ProtocolError("a message repeats an id");
    if (before && before.length >= WAITING_MAX) throw new ProtocolError("too many messages with one id");
    const isOfUse = bytes === 0 || this.#receiver.takes(message, bytes);
    if (isOfUse) this.#heldBytes += bytes;
    const body = isOfUse ? new Uint8Array(bytes) : null;
    const arriving: Arriving<M> = { message, bytes, body, filled: 0, movedAtMs: performance.now() };
    if (before) before.push(arriving);
    else this.#arriving.set(id, [arriving]);
  }

  #takeSamples(frame: Uint8Array): void {
    const read = frame.length <= FRAME_BYTES_MAX ? readFrame(frame) : null;
    if (!read) throw new ProtocolError("samples that no message announced");
    for (let { bytes } = read; bytes.length > 0; ) {
      const arriving = this.#arriving.get(read.id)?.[0];
      if (!arriving) throw new ProtocolError("samples that no message announced");
      const taken = bytes.subarray(0, arriving.bytes - arriving.filled);
      arriving.body?.set(taken, arriving.filled);
      arriving.filled += taken.length;
      arriving.movedAtMs = performance.now();
      bytes = bytes.subarray(taken.length);
      this.#deliverComplete(read.id);
    }
  }

  /** Of the messages with this id, those whose samples are all there; one may be without any. */
  #deliverComplete(id: number): void {
    for (;;) {
      const waiting = this.#arriving.get(id);
      const first = waiting?.[0];
      if (!waiting || !first || first.filled < first.bytes) return;
      waiting.shift();
      if (waiting.length === 0) this.#arriving.delete(id);
      if (!first.body) continue;
      this.#heldBytes -= first.bytes;
      this.#receiver.deliver(first.message, first.body);
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
