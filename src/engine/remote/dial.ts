/**
 * The side that opens a connection, and opens it again for as long as it is wanted: at once after the first end, then after
 * a pause that doubles, up to ten seconds.
 */
import type { Secret } from "../../config/config.ts";
import { pauseMs } from "../back-off.ts";
import { LINGER_MS } from "./accept.ts";
import type { Link } from "./link.ts";
import { ENGINES_PATH } from "./messages.ts";
import type { Socket } from "./outgoing.ts";

/** `ca`: a certificate to trust, PEM, beside those of the system; null: none. */
export type DialOptions = { address: string; secret: Secret; ca: string | null };

export type DialEvents = {
  /** It is open; called each time. */
  connect(socket: Socket): Pick<Link, "receive" | "ended" | "close">;
  /** It could not be opened; the reason in words. Once until it was open again. */
  failed(reason: string): void;
};

const OPEN_WITHIN_MS = 5000;
/** A connection that lasted as long was a good one. */
const STEADY_MS = 10_000;

/** Connects until it is disposed of. */
export class Dialer implements Disposable {
  readonly #options: DialOptions;
  readonly #events: DialEvents;
  #endsInARow = 0;
  #timer: Timer | null = null;
  #isClosed = false;
  #hasFailed = false;
  #link: ReturnType<DialEvents["connect"]> | null = null;
  #socket: WebSocket | null = null;

  constructor(options: DialOptions, events: DialEvents) {
    this.#options = options;
    this.#events = events;
    this.#open();
  }

  /** Opens no other connection after the current one. */
  stop(): void {
    this.#isClosed = true;
    if (this.#timer) clearTimeout(this.#timer);
  }

  [Symbol.dispose](): void {
    this.stop();
    if (this.#link) this.#link.close(1001, "the node is closing");
    else this.#socket?.close();
  }

  #open(): void {
    const { address, secret, ca } = this.#options;
    const socket = new WebSocket(address.replace(/(?<!\/)\/+$/, "") + ENGINES_PATH, {
      headers: { authorization: `Bearer ${secret()}` },
      perMessageDeflate: false,
      ...(ca !== null && { tls: { ca } }),
    });
    socket.binaryType = "arraybuffer";
    this.#socket = socket;
    let failure: string | null = null;
    const deadline = setTimeout(() => {
      failure = `no answer in ${OPEN_WITHIN_MS / 1000} s`;
      socket.terminate();
    }, OPEN_WITHIN_MS);
    let openedAtMs = 0;
    socket.onopen = () => {
      clearTimeout(deadline);
      openedAtMs = performance.now();
      this.#hasFailed = false;
      this.#link = this.#events.connect(linkSocket(socket));
    };
    socket.onmessage = ({ data }) =>
      this.#link?.receive(typeof data === "string" ? data : new Uint8Array(data as ArrayBuffer));
    socket.onerror = (event) => {
      failure ??= reasonOf(event as ErrorEvent);
    };
    socket.onclose = ({ code, reason }) => {
      clearTimeout(deadline);
      this.#link?.ended(reason || `the connection was closed (${code})`);
      this.#link = null;
      this.#socket = null;
      if (openedAtMs === 0) this.#fail(failure ?? "the connection was closed");
      else if (performance.now() - openedAtMs > STEADY_MS) this.#endsInARow = 0;
      this.#later();
    };
  }

  #fail(reason: string): void {
    if (!this.#hasFailed && !this.#isClosed) this.#events.failed(reason);
    this.#hasFailed = true;
  }

  #later(): void {
    if (this.#isClosed) return;
    const pause = pauseMs(++this.#endsInARow);
    this.#timer = setTimeout(() => this.#open(), pause * (0.75 + Math.random() / 2)); // nodes do not all return at once
  }
}

const linkSocket = (socket: WebSocket): Socket => ({
  send: (frame) => socket.send(frame),
  bufferedBytes: () => socket.bufferedAmount,
  close(code, reason) {
    socket.close(code, reason);
    setTimeout(() => socket.terminate(), LINGER_MS).unref();
  },
});

/** Such as "Expected 101 status code: 401": the secret is another one. */
function reasonOf({ message }: ErrorEvent): string {
  if (message.endsWith("status code: 401")) return "the node has another LOQUAT_ENGINE_SECRET";
  if (message.endsWith("status code: 404"))
    return "the address is not that of a node that takes engine nodes";
  return message;
}
