/**
 * An engine node, as an API node sees it: what it offers, how busy it is, and the tasks that it has.
 *
 *   run ──task, samples──> node ──hypotheses──> port
 *                               ──samples──> `early` of the claim
 *                               ──result──> resolves        cancelled, lost, late or faulty: rejects at once
 */

import { TransientMap } from "../../transient.ts";
import { FaultyAnswer } from "../answers/faulty-answer.ts";
import { type Bounds, PendingAnswer } from "../answers/pending-answer.ts";
import { isOut, noteFault, noteWork, type Standing, unblemished } from "../answers/standing.ts";
import type { Hypothesis } from "../protocol/recognition.ts";
import { isOf, type ResultOf, type Task } from "../protocol/task.ts";
import { taskBytes, WaitingRoom } from "../queue/waiting-room.ts";
import type { Claim } from "../runner.ts";
import type { Load } from "../scheduler.ts";
import { ProtocolError } from "./arrivals.ts";
import { Link, type Peer as PeerIdentity, type Self, SILENT_MS } from "./link.ts";
import { type FromEngine, type Hello, type LoadMessage, MESSAGE_BYTES_MAX, type Offer } from "./messages.ts";
import { errorOf, NodeFailure } from "./node-failure.ts";
import type { Socket } from "./outgoing.ts";
import { taskToSend } from "./remote-task.ts";
import { decodeData, type Encoded, encodeData } from "./wire-data.ts";

/** An answer was faulty or late. `isOut`: the engine gets no tasks for a while. */
export type Fault = { engine: string; reason: string; isOut: boolean };

/** `offered`: it has other engines. `closed`: with the reason in words. */
export type PeerEvents = { offered(): void; faulted(fault: Fault): void; closed(reason: string): void };

/** For which engine a task is sent, and what may come of it. */
export type Sending = Bounds & { offer: Offer };

type Outbound = { id: number; offer: Offer; encoded: Encoded; claim: Claim };

type Answer = Extract<FromEngine, { id: number }>;

/** Where a caller of another node is served before: it may be lost, or its connection is full. */
const DOUBTFUL_MS = SILENT_MS / 2;
const QUEUED_BYTES_MAX = 128 * 1024 * 1024;
/** A flag in shared memory has no event. */
const CANCEL_POLL_MS = 50;

export class EnginePeer {
  readonly #link: Link<"api">;
  readonly #events: PeerEvents;
  readonly #pending = new TransientMap<number, PendingAnswer>();
  readonly #standings = new Map<string, Standing>();
  readonly #outstanding = new Map<string, number>();
  /** Of the tasks that are not live. */
  readonly #waiting = new WaitingRoom();
  /** Null until its first offer. */
  #offers: Map<string, Offer> | null = null;
  /** Tasks of others at the last message on load. */
  #others = new Map<string, number>();
  #loads: LoadMessage["engines"] = [];
  #draining = false;
  #lastId = 0;
  #identity: PeerIdentity | null = null;

  constructor(socket: Socket, self: Self, events: PeerEvents) {
    this.#events = events;
    this.#link = new Link<"api">(
      socket,
      { role: "api", self },
      {
        greeted: (peer) => {
          this.#identity = peer;
        },
        takes: (message, bytes) => "id" in message && (this.#pendingOf(message.id)?.takes(bytes) ?? false),
        received: (message, body) => this.#receive(message, body),
        stalled: (id) => this.#pending.get(id)?.reject(new FaultyAnswer("its samples stayed away")),
        beat: () => {
          const nowMs = performance.now();
          for (const pending of this.#pending.values()) pending.endIfLate(nowMs);
          return { type: "beat" };
        },
        closed: (reason) => {
          for (const pending of this.#pending.values())
            pending.reject(new NodeFailure("lost", `the connection to the engine node was lost: ${reason}`));
          this.#pending.clear();
          this.#outstanding.clear();
          events.closed(reason);
        },
      },
    );
  }

  get link(): Pick<Link, "receive" | "ended" | "close"> {
    return this.#link;
  }

  /** Null until its first message. */
  get identity(): PeerIdentity | null {
    return this.#identity;
  }

  /** Whether it has said which engines it has: before, it gets no task. */
  get hasOffered(): boolean {
    return this.#offers !== null;
  }

  get isOpen(): boolean {
    return this.#link.isOpen;
  }

  get isDraining(): boolean {
    return this.#draining;
  }

  offers(): Offer[] {
    return [...(this.#offers?.values() ?? [])];
  }

  loads(): (Load & { name: string })[] {
    return this.#loads;
  }

  offerOf(name: string): Offer | null {
    return this.#offers?.get(name) ?? null;
  }

  /** Whether it takes another task of the engine; `identity` null: of any installation. */
  accepts(name: string, identity: string | null): boolean {
    const offer = this.offerOf(name);
    if (!offer || !this.isOpen || this.#draining || this.#isOff(name)) return false;
    return identity === null || identity === offer.identity;
  }

  /** Out after faulty answers, or on trial with another task. */
  #isOff(name: string): boolean {
    const standing = this.#standings.get(name);
    if (!standing) return false;
    return isOut(standing, performance.now()) || (standing.isTrial && (this.#outstanding.get(name) ?? 0) > 0);
  }

  /** Whether another task of its engine could begin at once. */
  isFree(name: string): boolean {
    const isWaitedFor = this.#loads.some((load) => load.name === name && load.waiting > 0);
    return !isWaitedFor && !this.isFull(name, false) && this.pressure(name) < 1;
  }

  /** Whether samples that were sent to it must leave before those of more tasks, or its tasks must begin. */
  isFull(name: string, isLive: boolean): boolean {
    if (this.#link.queuedBytes > QUEUED_BYTES_MAX) return true;
    return !isLive && !this.#waiting.hasRoom(MESSAGE_BYTES_MAX, this.offerOf(name)?.size ?? 1);
  }

  /** How busy its engine is, for each task that it works on at once; more where it may be lost. */
  pressure(name: string): number {
    const tasks = (this.#others.get(name) ?? 0) + (this.#outstanding.get(name) ?? 0);
    const size = this.offerOf(name)?.size ?? 1;
    return tasks / size + (this.#link.sinceReceivedMs() > DOUBTFUL_MS ? 1e6 : 0);
  }

  /** Hypotheses go to the task's port. The samples are copied, and stay with the caller. */
  async run<T extends Task>({ offer, ...bounds }: Sending, task: T, claim: Claim): Promise<ResultOf<T>> {
    claim.signal.throwIfAborted();
    if (!this.isOpen) throw new NodeFailure("lost", "the connection to the engine node is closed", false);
    const id = ++this.#lastId;
    const { port, cancel } = isOf(task, "recognition") ? task : { port: undefined, cancel: undefined };
    const { signal, early } = claim;
    const hypothesis = port && ((value: Hypothesis) => port.postMessage(value));
    const encoded = encodeData(taskToSend(task));
    const begun = claim.urgency === "realtime" ? () => {} : this.#waiting.enter(sizeOf(encoded));
    const pending = new PendingAnswer(offer.name, bounds, { hypothesis, early, begun });
    this.#pending.set(id, pending);
    this.#count(offer.name, 1);
    const leave = () => {
      this.#cancel(id);
      pending.reject(signal.reason ?? new DOMException("the caller left", "AbortError"));
    };
    const poll = cancel && setInterval(() => cancel[0] !== 0 && leave(), CANCEL_POLL_MS);
    signal.addEventListener("abort", leave, { once: true });
    this.#send({ id, offer, encoded, claim });
    try {
      const result = await pending.outcome;
      this.#standingOf(offer.name, noteWork);
      return result as ResultOf<T>; // as its gate has checked
    } catch (error) {
      if (error instanceof FaultyAnswer) this.#blame(id, offer.name, error);
      throw error;
    } finally {
      signal.removeEventListener("abort", leave);
      if (poll) clearInterval(poll);
      begun();
      if (this.#pending.delete(id)) this.#count(offer.name, -1);
    }
  }

  #send({ id, offer: { name, identity }, encoded: { data, parts }, claim }: Outbound): void {
    const { signal: _signal, trace: _trace, early, ...position } = claim;
    this.#link.send(
      {
        type: "task",
        id,
        engine: name,
        identity,
        claim: position,
        data,
        ...(early ? { early: true } : {}),
      },
      parts,
    );
  }

  /** Nothing more of the task is sent, and nothing that comes of it is kept. */
  #cancel(id: number): void {
    this.#link.withdraw(id);
    this.#link.ignore(id);
    this.#link.send({ type: "cancel", id });
  }

  #blame(id: number, engine: string, { message }: FaultyAnswer): void {
    this.#cancel(id);
    const isOut = this.#standingOf(engine, (standing) => noteFault(standing, performance.now()));
    this.#events.faulted({ engine, reason: message, isOut });
  }

  #standingOf<T>(name: string, change: (standing: Standing) => T): T {
    const standing = this.#standings.get(name) ?? unblemished();
    this.#standings.set(name, standing);
    return change(standing);
  }

  #count(name: string, change: 1 | -1): void {
    this.#outstanding.set(name, (this.#outstanding.get(name) ?? 0) + change);
  }

  /** Undefined for a task that is over. Throws where there never was such a task. */
  #pendingOf(id: number): PendingAnswer | undefined {
    if (id > this.#lastId) throw new ProtocolError("an answer to a task that was not sent");
    return this.#pending.get(id);
  }

  #receive(message: Exclude<FromEngine, Hello>, body: Uint8Array): void {
    if (message.type === "offer") {
      this.#offers = new Map(message.engines.map((offer) => [offer.name, offer]));
      this.#events.offered();
    } else if (message.type === "load") this.#receiveLoad(message);
    else this.#answer(this.#pendingOf(message.id), message, body);
  }

  #answer(pending: PendingAnswer | undefined, message: Answer, body: Uint8Array): void {
    if (message.type === "begun") pending?.begun(performance.now());
    else if (message.type === "hypothesis") pending?.hypothesis(message.value);
    else if (message.type === "failed") pending?.reject(errorOf(message.failure));
    else {
      const decoded = decodeData(message.data, body);
      if (decoded === null) pending?.reject(new FaultyAnswer("it lacks its samples"));
      else if (message.type === "early") pending?.early(decoded.value);
      else pending?.result(decoded.value);
    }
  }

  #receiveLoad({ engines, draining }: LoadMessage): void {
    this.#loads = engines;
    this.#others = new Map(
      engines.map(({ name, running, waiting }) => [
        name,
        Math.max(0, running + waiting - (this.#outstanding.get(name) ?? 0)),
      ]),
    );
    const waited = new Set(engines.flatMap(({ name, waiting }) => (waiting > 0 ? [name] : [])));
    const nowMs = performance.now();
    for (const pending of this.#pending.values()) if (waited.has(pending.engine)) pending.mayWait(nowMs);
    this.#moveOne(waited, nowMs);
    if (draining === this.#draining) return;
    this.#draining = draining;
    this.#events.offered();
  }

  /** One at each message on load, so that no more leave than another node has places for. */
  #moveOne(waited: ReadonlySet<string>, nowMs: number): void {
    for (const [id, pending] of this.#pending) {
      if (!waited.has(pending.engine) || !pending.mayMove(nowMs)) continue;
      this.#cancel(id);
      pending.reject(new NodeFailure("failed", "it waited, and another node was free", false));
      return;
    }
  }
}

function sizeOf({ data, parts }: Encoded): number {
  return taskBytes(
    data.value,
    parts.reduce((sum, { length }) => sum + length, 0),
  );
}
