/**
 * An engine node, as an API node sees it: what it offers, how busy it is, and the tasks that it has.
 *
 *   run ──task, samples──> node ──hypotheses──> port
 *                               ──samples──> `early` of the claim
 *                               ──result──> resolves        cancelled or lost: rejects at once
 */
import type { Claim } from "../claim.ts";
import type { RecognitionTask } from "../protocol/recognition.ts";
import type { Load } from "../turns.ts";
import { CLOSED, Link, type Peer as PeerIdentity, type Self, SILENT_MS } from "./link.ts";
import type { FromEngine, Hello, LoadMessage, Offer } from "./messages.ts";
import { errorOf, NodeFailure } from "./node-failure.ts";
import type { Socket } from "./outgoing.ts";
import { decodeData, encodeData } from "./wire-data.ts";

/** `offered`: it has other engines. `closed`: with the reason in words. */
export type PeerEvents = { offered(): void; closed(reason: string): void };

type Pending = {
  engine: string;
  resolve(value: unknown): void;
  reject(reason: unknown): void;
  hypothesis(value: unknown): void;
  early(samples: unknown): void;
};

/** Where a caller of another node is served before: it may be lost, or its connection is full. */
const DOUBTFUL_MS = SILENT_MS / 2;
const QUEUED_BYTES_MAX = 128 * 1024 * 1024;
/** A flag in shared memory has no event. */
const CANCEL_POLL_MS = 50;

export class EnginePeer {
  readonly #link: Link<"api">;
  readonly #pending = new Map<number, Pending>();
  readonly #outstanding = new Map<string, number>();
  /** Null until its first offer. */
  #offers: Map<string, Offer> | null = null;
  /** Tasks of others at the last message on load. */
  #others = new Map<string, number>();
  #loads: LoadMessage["engines"] = [];
  #draining = false;
  #lastId = 0;
  #identity: PeerIdentity | null = null;

  constructor(socket: Socket, self: Self, events: PeerEvents) {
    this.#link = new Link<"api">(
      socket,
      { role: "api", self },
      {
        greeted: (peer) => {
          this.#identity = peer;
        },
        received: (message, body) => this.#receive(message, body, events),
        beat: () => ({ type: "beat" }),
        closed: (reason) => {
          for (const { reject } of this.#pending.values())
            reject(new NodeFailure(`the connection to the engine node was lost: ${reason}`, true));
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
    if (!offer || !this.isOpen || this.#draining) return false;
    return identity === null || identity === offer.identity;
  }

  /** Whether samples that were sent to it must leave before those of more tasks. */
  get isFull(): boolean {
    return this.#link.queuedBytes > QUEUED_BYTES_MAX;
  }

  /** How busy its engine is, for each task that it works on at once; more where it may be lost. */
  pressure(name: string): number {
    const tasks = (this.#others.get(name) ?? 0) + (this.#outstanding.get(name) ?? 0);
    const size = this.offerOf(name)?.size ?? 1;
    return tasks / size + (this.#link.sinceReceivedMs() > DOUBTFUL_MS ? 1e6 : 0);
  }

  /** Hypotheses go to the task's port. The samples are copied, and stay with the caller. */
  async run<T>(offer: Offer, task: object, claim: Claim): Promise<T> {
    claim.signal.throwIfAborted();
    if (!this.isOpen) throw new NodeFailure("the connection to the engine node is closed", false);
    const id = ++this.#lastId;
    const { port, cancel, ...plain } = task as Partial<RecognitionTask>;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const { data, parts } = encodeData(plain);
    const { signal, trace: _trace, early, ...position } = claim;
    const hypothesis = (value: unknown) => port?.postMessage(value);
    const deliver = (samples: unknown) => samples instanceof Float32Array && early?.(samples);
    this.#pending.set(id, { engine: offer.name, resolve, reject, hypothesis, early: deliver });
    this.#count(offer.name, 1);
    const leave = () => {
      this.#link.withdraw(id);
      this.#link.send({ type: "cancel", id });
      reject(signal.reason ?? new DOMException("the caller left", "AbortError"));
    };
    const poll = cancel && setInterval(() => cancel[0] !== 0 && leave(), CANCEL_POLL_MS);
    signal.addEventListener("abort", leave, { once: true });
    this.#link.send(
      {
        type: "task",
        id,
        engine: offer.name,
        identity: offer.identity,
        claim: position,
        data,
        hypotheses: port !== undefined,
        ...(early ? { early: true } : {}),
      },
      parts,
    );
    try {
      return (await promise) as T;
    } finally {
      signal.removeEventListener("abort", leave);
      if (poll) clearInterval(poll);
      if (this.#pending.delete(id)) this.#count(offer.name, -1);
    }
  }

  #count(name: string, change: 1 | -1): void {
    this.#outstanding.set(name, (this.#outstanding.get(name) ?? 0) + change);
  }

  #receive(message: Exclude<FromEngine, Hello>, body: Uint8Array, events: PeerEvents): void {
    if (message.type === "offer") {
      this.#offers = new Map(message.engines.map((offer) => [offer.name, offer]));
      events.offered();
    } else if (message.type === "load") this.#receiveLoad(message, events);
    else {
      const pending = this.#pending.get(message.id);
      if (message.type === "hypothesis") pending?.hypothesis(message.value);
      else if (message.type === "failed") pending?.reject(errorOf(message.failure));
      else {
        const decoded = decodeData(message.data, body);
        if (decoded === null) this.#link.close(CLOSED.protocol, "a result lacks its samples");
        else if (message.type === "early") pending?.early(decoded.value);
        else pending?.resolve(decoded.value);
      }
    }
  }

  #receiveLoad({ engines, draining }: LoadMessage, events: PeerEvents): void {
    this.#loads = engines;
    this.#others = new Map(
      engines.map(({ name, running, waiting }) => [
        name,
        Math.max(0, running + waiting - (this.#outstanding.get(name) ?? 0)),
      ]),
    );
    if (draining === this.#draining) return;
    this.#draining = draining;
    events.offered();
  }
}
