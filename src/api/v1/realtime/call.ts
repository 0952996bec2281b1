/**
 * One realtime conversation, from the open socket to the last charge.
 *
 *   open ─> session.created ─> frames, one after another ─> end ─> last charge
 *
 * Frames are handled in order. A failure is sent as an `error` event, then the socket is closed; a mistake in one event of a
 * session under another API's model name is answered, and the session goes on.
 */
import type { Code, Refusal } from "../../../errors.ts";
import type { Log } from "../../../log/log.ts";
import type { EventLoopShare } from "../../../memory/event-loop-share.ts";
import type { Metrics } from "../../../metrics/metrics.ts";
import type { ServerEvent } from "../../../realtime/events.ts";
import { labelIn } from "../../../usage/request-log.ts";
import type { Work } from "../../../usage/work.ts";
import { loggedRefusal, statusOf } from "../../middleware/faults.ts";
import { type Frame, FrameQueue, isLarge, type Received } from "../../sockets/frame-queue.ts";
import { KeepAlive } from "../../sockets/keep-alive.ts";
import type { RefusalPace } from "../../sockets/refusal-pace.ts";
import type { Connection, Socket } from "../../sockets/socket-route.ts";
import type { CallProtocol } from "./call-protocol.ts";
import { eventIdOf } from "./frames.ts";
import type { Opening } from "./handshake.ts";
import type { EventContext, LiveSession } from "./live-session.ts";
import type { SessionDeps } from "./open-session.ts";

export type CallDeps = SessionDeps & {
  protocol: CallProtocol;
  share: EventLoopShare;
  refusalPace: RefusalPace;
  log: Log;
  metrics: Metrics;
};

export class Call implements Connection {
  readonly #deps: CallDeps;
  readonly #opening: Opening;
  readonly #socket: Socket;
  readonly #frames: FrameQueue;
  readonly #keepAlive: KeepAlive;
  #live: LiveSession | null = null;
  /** Open before the session is: a refused conversation is logged too. */
  #work: Work | null = null;
  #isOver = false;
  readonly #context: EventContext = {
    isOver: () => this.#isOver,
    refuse: (reason) => this.#refuse(reason),
  };
  readonly #left = Promise.withResolvers<void>();
  /** The code that the conversation ended with; null where it just ended. */
  #endCode: Code | null = null;

  constructor(deps: CallDeps, opening: Opening, socket: Socket) {
    this.#deps = deps;
    this.#opening = opening;
    this.#socket = socket;
    this.#frames = new FrameQueue(socket, deps.share);
    this.#keepAlive = new KeepAlive({ ...deps, socket });
  }

  async run(): Promise<void> {
    try {
      this.#live = await this.#open();
      this.#live.runner.perform(this.#live.session.start());
      for (let next = await this.#frames.next(); next !== null; next = await this.#frames.next()) {
        await this.#handle(next, this.#live);
      }
      if (!this.#isOver) await this.#conclude(this.#live);
    } catch (error) {
      this.#refuse(error);
    }
    await this.#finish();
  }

  /** The server is closing, and every frame before that was handled: the last turn is committed and sent. */
  async #conclude({ session, runner }: LiveSession): Promise<void> {
    await runner.drained();
    if (!this.#isOver && !session.isEnding) runner.perform(session.close());
    if (!this.#isOver) await this.#left.promise;
  }

  #open(): Promise<LiveSession> {
    return this.#deps.protocol.open(this.#deps, this.#opening, {
      request: this.#opening.id,
      send: (event) => this.#send(event),
      failed: (refusal) => void this.#logged(refusal),
      hangUp: (refusal) => this.#hangUp(refusal),
      unreadBytes: () => this.#socket.getBufferedAmount(),
      metered: (work) => {
        this.#work = work;
      },
      admitted: (holding) => this.#frames.countAgainst(holding),
    });
  }

  receive(frame: Frame): void {
    if (this.#isOver) return;
    this.#keepAlive.received();
    this.#frames.push(frame);
  }

  async #handle(received: Received, live: LiveSession): Promise<void> {
    const { session, runner } = live;
    if (session.isEnding) return this.#discard(received, live);
    let eventId: string | null = null;
    const { frame } = received;
    try {
      if (frame === null) throw received.refusal;
      const event = live.parse(frame);
      eventId = eventIdOf(event);
      await live.apply(event, this.#context);
      this.#noteLabel(event);
    } catch (error) {
      await this.#discard(received, live);
      if (this.#isOver) return;
      const refusal = this.#logged(error);
      runner.perform(session.refuse(refusal, eventId, live.forgives(refusal, frame)));
    }
  }

  /** Of an update of the settings that was accepted. */
  #noteLabel({ session }: Record<string, unknown>): void {
    if (session === undefined) return;
    const label = labelIn((session as { metadata?: unknown } | null)?.metadata);
    if (label !== null) this.#work?.note({ label });
  }

  /** Waits as long as receiving a large frame in vain has to take. The session's place is taken until then. */
  async #discard(received: Received, { principal }: LiveSession): Promise<void> {
    this.#frames.drop(received);
    if (isLarge(received)) await this.#deps.refusalPace(principal.organizationId, received.sizeBytes);
  }

  /** Sends the error and ends: at once where there is no session yet, else once what was committed is transcribed. */
  #refuse(error: unknown): void {
    const refusal = this.#logged(error);
    if (this.#isOver) return;
    if (this.#live) {
      this.#live.runner.perform(this.#live.session.end(refusal));
      return;
    }
    this.#send(this.#deps.protocol.refused(refusal, this.#opening.id));
    this.#hangUp(refusal);
  }

  /** What was thrown, as a refusal. */
  #logged = (error: unknown): Refusal =>
    loggedRefusal(this.#deps, { id: this.#opening.id, trace: this.#work?.trace }, error);

  #send(event: ServerEvent): void {
    if (this.#isOver) return;
    if (this.#live?.answers(event.type)) this.#work?.started();
    this.#socket.send(this.#deps.protocol.write(event));
  }

  /** A null refusal: the server is closing. */
  #hangUp(refusal: Refusal | null): void {
    if (this.#isOver) return;
    this.#endCode = refusal?.code ?? null;
    if (refusal) this.#work?.note({ errorMessage: refusal.message });
    const { code, reason, last } = this.#deps.protocol.closing(refusal);
    if (last) this.#send(last);
    this.#socket.close(code, reason);
    this.leave();
  }

  /** The socket is gone. */
  leave(): void {
    this.#isOver = true;
    this.#live?.runner.close();
    this.#frames.close();
    this.#left.resolve();
  }

  /** The server is closing: the open turn is committed, and what was committed is still transcribed and sent. */
  shutDown(): void {
    if (this.#live) this.#frames.complete();
    else this.#hangUp(null);
  }

  /** The server cannot wait any longer. */
  cutOff(refusal: Refusal): void {
    if (this.#live) this.#live.runner.perform(this.#live.session.endNow(refusal));
    else this.#hangUp(refusal);
  }

  /** Once a second. */
  tick(): void {
    if (!this.#keepAlive.ping(this.#frames.isReading)) this.leave();
    if (!this.#live || this.#isOver) return;
    this.#deps.metrics.record("loquat_realtime_lag_seconds", this.#live.runner.behindSeconds());
    this.#keepAlive.check(this.#checked(this.#live));
  }

  /** Keys of the organization have ended. */
  checkKey(organizationId: string): void {
    const live = this.#live;
    if (live?.principal.organizationId === organizationId) void this.#keepAlive.checkKey(this.#checked(live));
  }

  #checked = ({ principal, session, runner }: LiveSession) => ({
    principal,
    isEnding: session.isEnding,
    isClosing: session.isClosing,
    end: (refusal: Refusal) => runner.perform(session.end(refusal)),
    endNow: (refusal: Refusal | null) => runner.perform(session.endNow(refusal)),
  });

  pong(): void {
    this.#keepAlive.received();
  }

  /** Charges all audio that was received, including frames that were still queued. */
  async #finish(): Promise<void> {
    this.leave();
    if (this.#live) {
      const { session, billing, work, settled } = this.#live;
      if (!session.isEnding)
        for (const frame of this.#frames.rest()) session.append(await this.#deps.protocol.audioBytes(frame));
      const seconds = session.billableSeconds(true);
      await billing.finish(seconds).catch((error) => this.#logged(error));
      await settled();
      work.note({ audioSeconds: seconds });
    }
    this.#work?.end(this.#endCode ? statusOf(this.#endCode) : 101, this.#endCode);
  }
}
