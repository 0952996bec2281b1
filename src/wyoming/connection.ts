/**
 * One client's connection: reads its events, performs what the session makes of them in order, and writes the answers.
 *
 *   socket ──bytes──> queue ──event──> session ──steps──> requests ──events──> socket
 *
 * A refusal is sent as `error`, then the connection is closed: clients wait for that, and many read nothing else.
 */
import type { Socket } from "node:net";
import { countRefusal, statusOf } from "../api/middleware/faults.ts";
import { Refusal, toRefusal } from "../errors.ts";
import type { Log } from "../log/log.ts";
import type { EventLoopShare } from "../memory/event-loop-share.ts";
import type { Metrics } from "../metrics/metrics.ts";
import type { Catalogue } from "../models/catalogue.ts";
import { EventQueue } from "./event-queue.ts";
import { encodeEvent, type WyomingEvent } from "./framing.ts";
import { fail, leave, type MeteredRequest, type Peer } from "./metered-request.ts";
import {
  openRecording,
  type RecognitionDeps,
  type Recording,
  record,
  transcribe,
} from "./recognition-request.ts";
import { infoEvent } from "./service-info.ts";
import {
  addText,
  endText,
  type OpenText,
  openText,
  type SynthesisDeps,
  speakWhole,
} from "./synthesis-request.ts";
import { eventOf, type Step, WyomingSession } from "./wyoming-session.ts";

export type Timeouts = {
  /** How long a connection may be open without a request. */
  idleMs: number;
  /** How long a client may take for the next event of a request. */
  nextMs: number;
  /** How long a client may take for all events of a request. */
  requestMs: number;
  /** How long a client may take to read more of an answer. */
  unreadMs: number;
};

/** `catalogue`: what `describe` lists. `share`: of all connections of the port. */
export type ConnectionDeps = SynthesisDeps &
  RecognitionDeps & {
    catalogue: Catalogue;
    log: Log;
    metrics: Metrics;
    timeouts: Timeouts;
    share: EventLoopShare;
  };

/** How long a client may take to read the last event before the connection is reset. */
export const LINGER_MS = 2000;

/** How long a closing server waits for the first event of a connection that it has just accepted. */
const FIRST_EVENT_MS = 500;

/** The client's address; null where the system no longer knows it. */
export const addressOf = ({ remoteAddress }: Socket): string | null =>
  remoteAddress?.replace(/^::ffff:(?=\d+\.)/i, "") ?? null;

export class Connection {
  readonly #deps: ConnectionDeps;
  readonly #socket: Socket;
  readonly #queue: EventQueue;
  readonly #session = new WyomingSession();
  readonly #gone = new AbortController();
  readonly #peer: Peer;
  #recording: Recording | null = null;
  #text: OpenText | null = null;
  /** When the open request began, on the clock of `performance`. */
  #openedAt: number | null = null;
  #isClosing = false;
  #isWaiting = false;
  #hasAsked = false;

  constructor(deps: ConnectionDeps, socket: Socket) {
    this.#deps = deps;
    this.#socket = socket;
    this.#queue = new EventQueue(socket, deps.share);
    this.#peer = { ip: addressOf(socket), signal: this.#gone.signal, send: (event) => this.#send(event) };
    socket.setNoDelay(true);
    socket.on("data", (bytes) => this.#queue.push(bytes as Buffer));
    socket.on("error", () => {}); // "close" follows
    socket.on("close", () => {
      this.#gone.abort();
      this.#queue.close();
    });
  }

  /** Resolves when the connection is closed. */
  async run(): Promise<void> {
    try {
      for (let event = await this.#next(); event !== null; event = await this.#next())
        for (const step of this.#session.receive(event)) await this.#perform(step);
      this.#socket.end();
    } catch (error) {
      for (const request of this.#openRequests()) fail(request, error);
      this.#refuse(error);
    }
    for (const request of this.#openRequests()) leave(request);
    this.#queue.close();
    const linger = setTimeout(() => this.#socket.destroy(), LINGER_MS);
    if (!this.#gone.signal.aborted)
      await new Promise((resolve) => this.#gone.signal.addEventListener("abort", resolve));
    clearTimeout(linger);
  }

  #openRequests(): MeteredRequest[] {
    return [this.#recording, this.#text].flatMap((open) => open?.request ?? []);
  }

  async #next(): Promise<WyomingEvent | null> {
    const { isOpen } = this.#session;
    if (this.#isClosing && !isOpen && this.#hasAsked) return null;
    const { idleMs, nextMs } = this.#deps.timeouts;
    const restMs = this.#restMs();
    this.#isWaiting = true;
    const event =
      restMs <= 0
        ? "late"
        : await this.#queue.next(isOpen || this.#queue.isInside ? Math.min(nextMs, restMs) : idleMs);
    this.#isWaiting = false;
    this.#hasAsked = true;
    if (event !== "late") return event;
    if (!isOpen) return null;
    throw new Refusal("invalid_event", "The next event of the request did not arrive in time.");
  }

  /** What is left of the time for the events of the open request. */
  #restMs(): number {
    if (!this.#session.isOpen) this.#openedAt = null;
    else this.#openedAt ??= performance.now();
    return this.#openedAt === null
      ? Infinity
      : this.#openedAt + this.#deps.timeouts.requestMs - performance.now();
  }

  async #perform(step: Step): Promise<void> {
    const deps = this.#deps;
    const peer = this.#peer;
    switch (step.do) {
      case "send":
        return this.#send(step.event);
      case "describe":
        return this.#send(infoEvent(deps.catalogue));
      case "speak":
        return speakWhole(deps, step, peer);
      case "openRecording":
        this.#recording = await openRecording(deps, step, peer);
        return;
      case "record":
        return record(this.#recording!, step);
      case "transcribe":
        await transcribe(deps, this.#recording!, peer);
        this.#recording = null;
        return;
      case "openStream":
        this.#text = await openText(deps, { selection: step.selection, isStream: true }, peer);
        return;
      case "addText":
        return addText(deps, { open: this.#text!, text: step.text }, peer);
      case "endStream":
        await endText(deps, this.#text!, peer);
        this.#text = null;
        return;
      default:
        step satisfies never;
    }
  }

  /** Resolves when the client can take more. */
  async #send(event: WyomingEvent): Promise<void> {
    const { signal } = this.#gone;
    signal.throwIfAborted();
    if (this.#socket.write(encodeEvent(event))) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const resume = () => resolve();
    const giveUp = setTimeout(() => this.#socket.destroy(), this.#deps.timeouts.unreadMs);
    this.#socket.once("drain", resume);
    signal.addEventListener("abort", resume);
    await promise;
    clearTimeout(giveUp);
    this.#socket.off("drain", resume);
    signal.removeEventListener("abort", resume);
    signal.throwIfAborted();
  }

  #refuse(error: unknown): void {
    if (this.#gone.signal.aborted) return;
    const { code, message, cause } = toRefusal(error);
    countRefusal(this.#deps.metrics, code);
    if (statusOf(code) >= 500) this.#deps.log.error("request_failed", { code, cause: cause ?? null });
    else this.#deps.log.debug("request_rejected", { code });
    this.#socket.end(encodeEvent(eventOf("error", { text: message, code })));
  }

  get address(): string | null {
    return this.#peer.ip;
  }

  /** Whether it is between requests, so that it may end without loss. */
  get isIdle(): boolean {
    return this.#isWaiting && !this.#session.isOpen;
  }

  /** Closes an idle connection at once. */
  giveWay(): void {
    this.#queue.close();
    this.#socket.destroy();
  }

  /** Ends the connection at once, and with it its request. */
  end(refusal: Refusal): void {
    this.#refuse(refusal);
    this.#gone.abort(refusal);
    this.#queue.close();
    setTimeout(() => this.#socket.destroy(), LINGER_MS).unref();
  }

  /** The server is closing: an open request, or the first one of a new connection, is completed first. */
  shutDown(): void {
    this.#isClosing = true;
    if (!this.isIdle) return;
    const end = () => {
      if (!this.#session.isOpen) this.#queue.close();
    };
    if (this.#hasAsked) end();
    else setTimeout(end, FIRST_EVENT_MS);
  }
}
