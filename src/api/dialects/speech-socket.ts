/**
 * A socket of a dialect that speaks, from the open socket to the last charge. Frames are handled in order; what they mean,
 * and how answers look, is the dialect's. A refusal is told as the dialect tells it, then the socket is closed.
 */

import { parseJson } from "../../bounded-json.ts";
import { type Code, Refusal } from "../../errors.ts";
import type { Holding } from "../../memory/budget.ts";
import type { TransientSet } from "../../transient.ts";
import type { Work } from "../../usage/work.ts";
import { loggedRefusal, statusOf } from "../middleware/faults.ts";
import { type Frame, FrameQueue, isLarge, type Received } from "../sockets/frame-queue.ts";
import { KeepAlive } from "../sockets/keep-alive.ts";
import type { Connection, Socket } from "../sockets/socket-route.ts";
import { closeCode } from "../v1/realtime/socket-errors.ts";
import {
  openSpeechSession,
  type SpeechOpening,
  type SpeechSession,
  type SpeechSocketDeps,
} from "./speech-session.ts";

export type Message = Record<string, unknown>;

/** Sockets whose key is still to come. */
export type Anonymous = TransientSet<SpeechSocket>;

/** What a dialect does with its socket. */
export type SpeechDialect = {
  /** The key of the request, or of a first message; throws where there is none. Null: the first message has it. */
  secretOf(first: Message | null): string | null;
  opened(session: SpeechSession, socket: SpeechPort): void;
  /** Refusals that it throws end the socket. */
  receive(message: Message): void;
  /** No message follows: what was gathered is spoken. */
  end(): void;
  /** How it tells of a refusal. */
  errorOf(refusal: Refusal, id: string): object;
  /** Without messages and speech, it is closed after so long; null: never. */
  idleMs: number | null;
};

/** What a dialect has of its socket. */
export type SpeechPort = {
  id: string;
  send(message: object | Uint8Array): void;
  /** Ends the socket with what a text was refused for. */
  refuse(error: unknown): void;
  /** Notes what a text was refused for, while the socket goes on. */
  refused(error: unknown): Refusal;
  /** Closes it in order, once what was asked for is spoken. */
  finish(): void;
  /** Closes it in order, at once. */
  close(): void;
};

const FRAME_BYTES_MAX = 64 * 1024;
/** Above as many that the client has not read, nothing more is sent. */
const UNREAD_BYTES = 256 * 1024;
const POLL_MS = 20;
const NORMAL = 1000;
/** Sockets that may be read before their key is known, and for how long. */
const ANONYMOUS_MAX = 32;
const ANONYMOUS_MS = 20_000;

type Asked = SpeechOpening & { dialect: SpeechDialect; anonymous: Anonymous };

export class SpeechSocket implements Connection {
  readonly #deps: SpeechSocketDeps;
  readonly #opening: SpeechOpening;
  readonly #dialect: SpeechDialect;
  readonly #anonymous: Anonymous;
  readonly #socket: Socket;
  readonly #frames: FrameQueue;
  readonly #keepAlive: KeepAlive;
  #session: SpeechSession | null = null;
  /** Open before the session is: one that is refused is logged too. */
  #work: Work | null = null;
  #holding: Holding | null = null;
  #isOver = false;
  #isClosing = false;
  #endCode: Code | null = null;
  #heardMs: number;

  constructor(deps: SpeechSocketDeps, { dialect, anonymous, ...opening }: Asked, socket: Socket) {
    this.#anonymous = anonymous;
    this.#deps = deps;
    this.#opening = opening;
    this.#dialect = dialect;
    this.#socket = socket;
    this.#frames = new FrameQueue(socket, deps.sockets.share);
    this.#keepAlive = new KeepAlive({ ...deps, socket });
    this.#heardMs = deps.clock.now();
  }

  async run(): Promise<void> {
    try {
      const first = await this.#open();
      if (first) this.#dialect.receive(first);
      for (let next = await this.#frames.next(); next !== null; next = await this.#frames.next())
        await this.#handle(next);
      if (!this.#isOver) this.#dialect.end();
      await this.#session?.spoken();
      this.#hangUp(null, this.#isClosing ? closeCode(null) : NORMAL);
    } catch (error) {
      this.#refuse(error);
    }
    await this.#finish();
  }

  /** Returns the first message where its key was in it. */
  async #open(): Promise<Message | null> {
    let first: Message | null = null;
    let secret = this.#dialect.secretOf(null);
    if (secret === null) {
      first = await this.#firstMessage();
      if (first === null) return null;
      secret = this.#dialect.secretOf(first);
    }
    const opening = { ...this.#opening, secret: secret ?? "" };
    this.#session = await openSpeechSession(this.#deps, opening, {
      metered: (work) => {
        this.#work = work;
      },
      isOver: () => this.#isOver,
      room: () => this.#room(),
    });
    this.#holding = this.#deps.budget.open(this.#session.principal.organizationId);
    this.#frames.countAgainst(this.#holding);
    if (!this.#isOver) this.#dialect.opened(this.#session, this.#port());
    return first;
  }

  /** Null: it is gone. */
  async #firstMessage(): Promise<Message | null> {
    if (this.#anonymous.size >= ANONYMOUS_MAX)
      throw new Refusal(
        "service_unavailable",
        "Too many connections have sent no key yet. Send it as a header.",
      );
    this.#anonymous.add(this);
    const received = await this.#frames.next();
    this.#anonymous.delete(this);
    return received && messageOf(received);
  }

  #port(): SpeechPort {
    return {
      id: this.#opening.id,
      send: (message) => this.#send(message),
      refuse: (error) => this.#refuse(error),
      refused: (error) => this.#logged(error),
      finish: () => this.#frames.complete(),
      close: () => this.#hangUp(null, NORMAL),
    };
  }

  receive(frame: Frame): void {
    if (this.#isOver) return;
    this.#heardMs = this.#deps.clock.now();
    this.#keepAlive.received();
    this.#frames.push(frame);
  }

  /** A large frame takes as long as receiving it in vain has to take. */
  async #handle(received: Received): Promise<void> {
    const { principal } = this.#session!;
    try {
      this.#dialect.receive(messageOf(received));
    } finally {
      this.#frames.drop(received);
      if (isLarge(received)) await this.#deps.refusalPace(principal.organizationId, received.sizeBytes);
    }
  }

  /** Waits for a client that reads slowly. */
  async #room(): Promise<void> {
    while (!this.#isOver && this.#socket.getBufferedAmount() > UNREAD_BYTES) await Bun.sleep(POLL_MS);
  }

  #send(message: object | Uint8Array): void {
    if (this.#isOver) return;
    this.#socket.send(message instanceof Uint8Array ? message : JSON.stringify(message));
  }

  #refuse(error: unknown): void {
    if (this.#isOver) return;
    const refusal = this.#logged(error);
    this.#send(this.#dialect.errorOf(refusal, this.#opening.id));
    this.#hangUp(refusal, closeCode(refusal));
  }

  /** What was thrown, as a refusal. */
  #logged = (error: unknown): Refusal =>
    loggedRefusal(this.#deps, { id: this.#opening.id, trace: this.#work?.trace }, error);

  #hangUp(refusal: Refusal | null, code: number): void {
    if (this.#isOver) return;
    this.#endCode = refusal?.code ?? null;
    if (refusal) this.#work?.note({ errorMessage: refusal.message });
    this.#socket.close(code, refusal?.code ?? "closing");
    this.leave();
  }

  leave(): void {
    this.#isOver = true;
    this.#frames.close();
    void this.#session?.stop();
  }

  shutDown(): void {
    this.#isClosing = true;
    if (this.#session) this.#frames.complete();
    else this.#hangUp(null, closeCode(null));
  }

  cutOff(refusal: Refusal): void {
    void this.#session?.stop(refusal);
    this.#refuse(refusal);
  }

  tick(): void {
    if (!this.#keepAlive.ping(this.#frames.isReading)) this.leave();
    if (this.#isOver) return;
    const session = this.#session;
    const now = this.#deps.clock.now();
    if (session && !session.isIdle) this.#heardMs = now;
    const idleMs = session ? this.#dialect.idleMs : this.#anonymous.has(this) ? ANONYMOUS_MS : null;
    if (idleMs !== null && now - this.#heardMs >= idleMs) this.#refuse(idle(idleMs));
    else if (session) this.#keepAlive.check(this.#checked(session));
  }

  checkKey(organizationId: string): void {
    const session = this.#session;
    if (session?.principal.organizationId === organizationId)
      void this.#keepAlive.checkKey(this.#checked(session));
  }

  #checked = ({ principal }: SpeechSession) => ({
    principal,
    isEnding: this.#isClosing,
    isClosing: this.#isClosing,
    end: (refusal: Refusal) => this.#refuse(refusal),
    endNow: (refusal: Refusal | null) => (refusal ? this.#refuse(refusal) : this.#hangUp(null, NORMAL)),
  });

  pong(): void {
    this.#keepAlive.received();
  }

  async #finish(): Promise<void> {
    this.leave();
    await this.#session?.stop();
    this.#work?.end(this.#endCode ? statusOf(this.#endCode) : 101, this.#endCode);
  }
}

const idle = (idleMs: number) =>
  new Refusal("session_expired", `Nothing was sent for ${Math.round(idleMs / 1000)} seconds.`);

function messageOf({ frame, refusal }: Received): Message {
  if (frame === null) throw refusal;
  if (typeof frame !== "string") throw invalid("Frames are JSON text, not binary.");
  if (frame.length > FRAME_BYTES_MAX)
    throw invalid(`A frame has at most ${FRAME_BYTES_MAX} characters, not ${frame.length}.`);
  const { value, problem } = parseJson(frame);
  if (problem !== null) throw invalid(`The frame ${problem}.`);
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Message;
  throw invalid("A frame holds one JSON object.");
}

const invalid = (message: string) => new Refusal("invalid_event", message);
