/**
 * One realtime conversation, from the open socket to the last charge.
 *
 *   open ─> key ─> scope ─> limits ─> credit ─> model ─> session.created ─> frames, one after another ─> end
 *
 * Frames are done in their order: audio goes on at once, anything else when all audio before it was heard. Where the
 * client is too far ahead, nothing more is read. What goes wrong is said on the socket, and then it is closed.
 */
import type { Accounts } from "../../../accounts/accounts.ts";
import { revoked } from "../../../accounts/authenticate.ts";
import type { Principal } from "../../../accounts/principal.ts";
import { type Clock, unixSeconds } from "../../../clock.ts";
import { bytesPerSecond } from "../../../engine/protocol/vad.ts";
import { CODES, type Code, Fault, toFault } from "../../../errors.ts";
import { newId } from "../../../ids.ts";
import type { Log } from "../../../log.ts";
import type { Budget } from "../../../memory/budget.ts";
import type { Catalogue } from "../../../models/catalogue.ts";
import type { ChosenRecognition } from "../../../models/choose.ts";
import * as events from "../../../realtime/events.ts";
import { Session } from "../../../realtime/session.ts";
import { SessionRunner, type TurnDetector } from "../../../realtime/session-runner.ts";
import { DEFAULTS } from "../../../realtime/settings.ts";
import type { VadStreams } from "../../../realtime/vad-streams.ts";
import type { LiveRecognizer } from "../../../transcription/live.ts";
import type { Meter } from "../../../usage/meter.ts";
import { StreamBilling } from "../../../usage/stream-billing.ts";
import type { Work } from "../../../usage/work.ts";
import { requireScope } from "../../middleware/authentication.ts";
import { type Frame, FrameQueue, type Turns } from "../../middleware/frame-queue.ts";
import { audioBytesOf, type ClientEvent, eventIdOf, parseFrame, readEvent } from "./frames.ts";
import type { Opening, Socket } from "./handshake.ts";
import { readUpdate, recognizerOf, resolveSettings } from "./settings-schema.ts";

export type CallParts = {
  accounts: Accounts;
  catalogue: Catalogue;
  vadStreams: VadStreams;
  live: LiveRecognizer;
  turnDetector: TurnDetector;
  budget: Budget;
  meter: Meter;
  turns: Turns;
  clock: Clock;
  log: Log;
};

const SESSION_SECONDS = 3600;
const LONG_SECONDS = 10;
const PING_MS = 30_000;
const KEY_CHECK_MS = 20_000;
const LAST_WORDS_MS = 10_000;

type Running = {
  session: Session;
  runner: SessionRunner;
  work: Work;
  billing: StreamBilling;
  principal: Principal;
};

export class Call {
  readonly #parts: CallParts;
  readonly #opening: Opening;
  readonly #socket: Socket;
  readonly #frames: FrameQueue;
  #running: Running | null = null;
  #work: Work | null = null;
  #isOver = false;
  #ended: Code | null = null;
  /** Anything from the client since the last ping? */
  #isAlive = true;
  readonly #due: { pingMs: number; keyMs: number; endMs: number; giveUpMs: number | null };

  constructor(parts: CallParts, opening: Opening, socket: Socket) {
    this.#parts = parts;
    this.#opening = opening;
    this.#socket = socket;
    this.#frames = new FrameQueue(socket, parts.turns);
    const now = parts.clock.now();
    this.#due = {
      pingMs: now + PING_MS,
      keyMs: now + KEY_CHECK_MS,
      endMs: now + SESSION_SECONDS * 1000,
      giveUpMs: null,
    };
  }

  async run(): Promise<void> {
    try {
      this.#running = await this.#begin();
      this.#running.runner.perform(this.#running.session.start());
      for (let frame = await this.#frames.next(); frame !== null; frame = await this.#frames.next()) {
        await this.#handle(frame, this.#running);
      }
    } catch (error) {
      this.#refuse(this.#known(error));
    }
    await this.#finish();
  }

  async #begin(): Promise<Running> {
    const { accounts, catalogue, meter, budget, vadStreams, live, turnDetector, clock } = this.#parts;
    const { id, shape, ip, userAgent } = this.#opening;
    const { principal, stored } = await this.#identify(accounts);
    const visit = { id, principal, endpoint: "/v1/realtime", method: "WS", ip, userAgent, headers: {} };
    const work = meter.open({ ...visit, bucket: "seconds" });
    this.#work = work;
    requireScope(principal, "realtime:connect");
    await work.admit();
    this.#frames.countAgainst(budget.open(principal.organizationId));
    const first = readUpdate({ session: stored });
    const named = { ...first, model: this.#opening.model ?? first.model };
    const { settings, chosen } = resolveSettings(catalogue, DEFAULTS, named);
    const expiresAt = unixSeconds(clock) + SESSION_SECONDS;
    const identity = { id: newId("sess", clock), requestId: id, expiresAt, shape };
    const session = new Session(identity, settings, chosen.spoken);
    const client = {
      organization: principal.organizationId,
      request: id,
      send: (event: events.ServerEvent) => this.#send(event),
      failed: (fault: Fault) => void this.#known(fault),
      hangUp: (code: number, reason: string) => this.#hangUp(code, reason),
    };
    const runner = new SessionRunner(
      { session, vadStreams, recognizer: live, turnDetector, client },
      recognizerOf(chosen, settings),
    );
    work.note({ model: chosen.model, stream: true });
    work.noteProgress(101);
    return { session, runner, work, billing: new StreamBilling(work, priceOf(chosen)), principal };
  }

  async #identify(accounts: Accounts): Promise<{ principal: Principal; stored: object }> {
    const secret = this.#opening.secret();
    if (!secret.startsWith("ek_")) return { principal: await accounts.authenticate(secret), stored: {} };
    const { principal, session } = await accounts.redeemClientSecret(secret);
    return { principal, stored: session };
  }

  receive(frame: Frame): void {
    if (this.#isOver) return;
    this.#isAlive = true;
    try {
      this.#frames.push(frame);
    } catch (error) {
      this.#refuse(this.#known(error));
    }
  }

  async #handle(frame: Frame, running: Running): Promise<void> {
    const { session, runner } = running;
    if (session.isEnding) return;
    let eventId: string | null = null;
    try {
      const event = parseFrame(frame);
      eventId = eventIdOf(event);
      await this.#do(readEvent(event), running);
    } catch (error) {
      if (!this.#isOver) runner.perform(session.refuse(this.#known(error), eventId));
    }
  }

  async #do(event: ClientEvent, running: Running): Promise<void> {
    const { session, runner, billing } = running;
    if (event.do === "append") {
      await runner.room();
      if (session.isEnding) return;
      if (this.#isOver) return session.append(event.bytes.length); // it was under way when the client left
      const seconds = event.bytes.length / bytesPerSecond(session.settings.format);
      await billing.take(session.receivedSeconds + seconds);
      const isLong = event.bytes.length > LONG_SECONDS * bytesPerSecond(session.settings.format);
      runner.feed(event.bytes);
      const decided = session.billableSeconds(false) - runner.unheardSeconds();
      billing.charge(decided, (reason) => this.#refuse(this.#known(reason)));
      if (isLong) await runner.drained(); // its memory is counted until then
      return;
    }
    await runner.drained();
    if (session.isEnding || this.#isOver) return;
    if (event.do === "commit") runner.perform(session.commit());
    else if (event.do === "clear") runner.perform(session.clear());
    else if (event.do === "retrieve") runner.perform(session.retrieve(event.itemId));
    else if (event.do === "delete") runner.perform(session.delete(event.itemId));
    else if (event.do === "update") {
      const { settings, chosen } = resolveSettings(this.#parts.catalogue, session.settings, event.update);
      await billing.change(priceOf(chosen), session.billableSeconds(false));
      runner.recognizer = recognizerOf(chosen, settings);
      runner.perform(session.update(settings, chosen.spoken, event.reply));
    }
  }

  /** Says what is wrong and ends: at once where nothing runs yet, else after what was committed is told. */
  #refuse(fault: Fault): void {
    if (this.#isOver) return;
    if (this.#running) {
      this.#running.runner.perform(this.#running.session.end(fault));
      return;
    }
    const { id } = this.#opening;
    const { type, ...fields } = events.error(fault, { requestId: id, eventId: null });
    this.#send({ type, event_id: `event_${id.replace(/^req_/, "")}`, ...fields });
    this.#hangUp(events.closeCode(fault), fault.code);
  }

  /** What a bug says of itself goes to the log. */
  #known(error: unknown): Fault {
    const fault = toFault(error);
    const told = { id: this.#opening.id, code: fault.code };
    if (fault.status >= 500) this.#parts.log.error("failed", { ...told, cause: fault.cause ?? null });
    else this.#parts.log.debug("refused", told);
    return fault;
  }

  #send(event: events.ServerEvent): void {
    if (this.#isOver) return;
    if (/\.(delta|completed)$/.test(event.type)) this.#work?.started();
    this.#socket.send(JSON.stringify(event));
  }

  #hangUp(code: number, reason: string): void {
    if (this.#isOver) return;
    if (reason in CODES) this.#ended = reason as Code;
    this.#socket.close(code, reason);
    this.leave();
  }

  /** The socket is gone. */
  leave(): void {
    this.#isOver = true;
    this.#running?.runner.close();
    this.#frames.close();
  }

  /** The server closes: what was committed is still told. */
  shutDown(): void {
    if (this.#running) this.#running.runner.perform(this.#running.session.end(null));
    else this.#hangUp(1001, "closing");
  }

  /** Once a second: whether it is still there, too old, its key revoked, or its last words late. */
  tick(): void {
    const now = this.#parts.clock.now();
    if (now >= this.#due.pingMs) {
      this.#due.pingMs = now + PING_MS;
      this.#ping();
    }
    if (!this.#running || this.#isOver) return;
    const { session, runner, principal } = this.#running;
    if (session.isEnding) {
      this.#due.giveUpMs ??= now + LAST_WORDS_MS;
      if (now >= this.#due.giveUpMs) runner.perform(session.endNow(null));
    } else if (now >= this.#due.endMs) {
      const message = "Your session hit the maximum duration of 60 minutes.";
      runner.perform(session.end(new Fault("session_expired", message)));
    } else if (now >= this.#due.keyMs) {
      this.#due.keyMs = now + KEY_CHECK_MS;
      void this.#checkKey(principal);
    }
  }

  /** Who answered nothing since the last one is gone, unless it is us who do not read. */
  #ping(): void {
    if (!this.#isAlive && this.#frames.isReading) {
      this.#socket.terminate();
      this.leave();
    } else {
      this.#isAlive = false;
      this.#socket.ping();
    }
  }

  pong(): void {
    this.#isAlive = true;
  }

  async #checkKey({ keyId }: Principal): Promise<void> {
    const isRevoked = await this.#parts.accounts.isKeyRevoked(keyId).catch(() => false); // asked again soon
    if (!isRevoked || !this.#running) return;
    this.#running.runner.perform(this.#running.session.endNow(revoked()));
  }

  /** Whatever came is charged, also what the client sent last and nobody looked at. */
  async #finish(): Promise<void> {
    this.leave();
    if (this.#running) {
      const { session, billing, work } = this.#running;
      if (!session.isEnding) for (const frame of this.#frames.rest()) session.append(audioBytesOf(frame));
      const seconds = session.billableSeconds(true);
      await billing.finish(seconds).catch((error) => this.#known(error));
      work.note({ audioSeconds: seconds });
    }
    this.#work?.end(this.#ended ? CODES[this.#ended] : 101, this.#ended);
  }
}

const priceOf = ({ model, manifest }: ChosenRecognition) => ({ model, priceMicros: manifest.price_micros });
