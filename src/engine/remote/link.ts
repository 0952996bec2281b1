/**
 * One connection between an API node and an engine node, from the first message on, whichever of them opened it.
 *
 *   open ──hello──> greeted ──messages──> closed
 *     └── no hello in 5 s, another version ──> closed, with the reason
 *
 * Each side sends a beat a second. A peer that sends nothing for `SILENT_MS`, or takes nothing for as long, is dropped.
 */
import { Arrivals, ProtocolError } from "./arrivals.ts";
import {
  type FromApi,
  type FromEngine,
  fromApi,
  fromEngine,
  type Hello,
  type Message,
  PROTOCOL,
} from "./messages.ts";
import { Outgoing, type Socket } from "./outgoing.ts";

const BEAT_MS = 1000;
export const SILENT_MS = 5000;

/** Closing codes; the reason is in words. */
export const CLOSED = { normal: 1000, goingAway: 1001, protocol: 4000, version: 4001, silent: 4002 } as const;

/** What this node is, without what follows from the role. */
export type Self = Pick<Hello, "version" | "node" | "instance">;

export type Peer = Self;

type Received = { api: FromEngine; engine: FromApi };
type Sent = { api: FromApi; engine: FromEngine };
export type Role = keyof Received;

export type LinkEvents<R extends Role> = {
  greeted(peer: Peer): void;
  /** Whether a message with so many bytes of samples is of use. */
  takes(message: Exclude<Received[R], Hello>, bytes: number): boolean;
  received(message: Exclude<Received[R], Hello>, body: Uint8Array): void;
  /** Samples that a message with this id announced stay away. */
  stalled(id: number): void;
  /** What it sends a second. */
  beat(): Sent[R];
  /** Once, with the reason in words. */
  closed(reason: string): void;
};

const REASON_BYTES_MAX = 120; // RFC 6455 has room for 123

export class Link<R extends Role = Role> {
  readonly #role: R;
  readonly #socket: Socket;
  readonly #events: LinkEvents<R>;
  readonly #outgoing: Outgoing;
  readonly #incoming: Arrivals<Message>;
  readonly #timer: Timer;
  #peer: Peer | null = null;
  #isClosed = false;
  #receivedAtMs = performance.now();
  #beatAtMs = performance.now();

  /** `role`: what this side is. */
  constructor(socket: Socket, { role, self }: { role: R; self: Self }, events: LinkEvents<R>) {
    this.#role = role;
    this.#socket = socket;
    this.#events = events;
    this.#outgoing = new Outgoing(socket);
    this.#incoming = new Arrivals<Message>((role === "api" ? fromEngine : fromApi).check, {
      takes: (message, bytes) => events.takes(message as Exclude<Received[R], Hello>, bytes),
      deliver: (message, body) => this.#deliver(message, body),
    });
    this.#timer = setInterval(() => this.#beat(), BEAT_MS);
    this.#timer.unref();
    this.#write({ type: "hello", protocol: PROTOCOL, role, ...self });
  }

  get isOpen(): boolean {
    return !this.#isClosed;
  }

  /** Samples that wait to be sent. */
  get queuedBytes(): number {
    return this.#outgoing.bytes;
  }

  sinceReceivedMs(): number {
    return performance.now() - this.#receivedAtMs;
  }

  /** `parts`: the samples that the message announces. */
  send(message: Sent[R], parts: readonly Uint8Array[] = []): void {
    this.#write(message, parts);
  }

  withdraw(id: number): void {
    this.#outgoing.withdraw(id);
  }

  discard(id: number): void {
    this.#incoming.discard(id);
  }

  /** What arrives with this id is of no use any more. */
  ignore(id: number): void {
    this.#incoming.ignore(id);
  }

  /** A frame has arrived. */
  receive(frame: string | Uint8Array): void {
    if (this.#isClosed) return;
    this.#receivedAtMs = performance.now();
    try {
      this.#incoming.take(frame);
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      this.close(CLOSED.protocol, error.message);
    }
  }

  close(code: number, reason: string): void {
    if (this.#isClosed) return;
    this.#socket.close(code, reason.slice(0, REASON_BYTES_MAX));
    this.ended(reason);
  }

  /** The socket has closed. */
  ended(reason: string): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearInterval(this.#timer);
    this.#outgoing.close();
    this.#events.closed(reason);
  }

  #write(message: Message, parts: readonly Uint8Array[] = []): void {
    if (!this.#isClosed) this.#outgoing.add(JSON.stringify(message), "id" in message ? message.id : 0, parts);
  }

  #deliver(message: Message, body: Uint8Array): void {
    if (this.#isClosed) return;
    if (message.type === "hello") this.#greet(message);
    else if (this.#peer === null) this.close(CLOSED.protocol, "the first message is no hello");
    else this.#events.received(message as Exclude<Received[R], Hello>, body);
  }

  #greet({ protocol, role, version, node, instance }: Hello): void {
    if (this.#peer !== null) this.close(CLOSED.protocol, "a second hello");
    else if (protocol !== PROTOCOL) this.close(CLOSED.version, otherProtocol(protocol));
    else if (role === this.#role) this.close(CLOSED.protocol, `both nodes are of role ${role}`);
    else {
      this.#peer = { version, node, instance };
      this.#events.greeted(this.#peer);
    }
  }

  #beat(): void {
    const now = performance.now();
    const isLate = now - this.#beatAtMs > 2 * BEAT_MS; // this process stood still: what has arrived was not read yet
    this.#beatAtMs = now;
    const fault = isLate ? null : this.#silence();
    if (!isLate) for (const id of this.#incoming.stalled()) this.#events.stalled(id);
    if (fault !== null) this.close(CLOSED.silent, fault);
    else if (this.#peer !== null) this.#write(this.#events.beat());
  }

  #silence(): string | null {
    if (this.sinceReceivedMs() > SILENT_MS) return `no message in ${SILENT_MS / 1000} s`;
    if (this.#outgoing.stalledMs() > SILENT_MS) return `nothing was read in ${SILENT_MS / 1000} s`;
    return null;
  }
}

const otherProtocol = (protocol: number) =>
  `protocol ${PROTOCOL} here and ${protocol} there: run one version of Loquat`;
