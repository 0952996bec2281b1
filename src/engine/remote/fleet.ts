/**
 * The engine nodes that an API node reaches, and which of them gets a task: of those that have the engine, the least busy.
 *
 * An engine whose last node has left stays known for `FORGOTTEN_AFTER_MS`: its callers get 503 and may try again.
 */
import { WAIT_MAX_MS } from "../../errors.ts";
import { inSpan } from "../../tracing/tracing.ts";
import { type GateOf, gateOf } from "../answers/gate-of.ts";
import { StreamGates } from "../answers/stream-gates.ts";
import type { Engine } from "../registry.ts";
import { openAttempts } from "./attempts.ts";
import { EnginePeer, type Fault } from "./engine-peer.ts";
import type { Peer, Self } from "./link.ts";
import type { Offer } from "./messages.ts";
import type { Socket } from "./outgoing.ts";

const FORGOTTEN_AFTER_MS = 600_000;
const FULL_POLL_MS = 20;

/** A node has joined, has left, or was refused before it said which one it is. */
type NodeNotice =
  | { change: "joined"; node: string; version: string }
  | { change: "left"; node: string; version: string; reason: string }
  | { change: "refused"; reason: string };

export type FleetEvents = {
  /** Other engines are available. */
  changed(): void;
  noticed(notice: NodeNotice): void;
  /** A node answered what cannot be, or not in time. */
  faulted(fault: Fault & { node: string }): void;
  /** A task is tried again, on another node or on this one. */
  retried(): void;
};

/** `gate`: what the answers to a task may be. */
type FleetOptions = { forgottenAfterMs?: number; gate?: GateOf };

type Wish = { identity: string | null; tried: ReadonlySet<EnginePeer>; isLive: boolean };

export class Fleet implements Disposable {
  readonly #self: Self;
  readonly #forgottenAfterMs: number;
  readonly #gate: GateOf;
  readonly #peers = new Set<EnginePeer>();
  readonly #departed = new Map<string, { offer: Offer; timer: Timer }>();
  #events: FleetEvents = { changed() {}, noticed() {}, faulted() {}, retried() {} };
  #turn = 0;

  constructor(self: Self, { forgottenAfterMs = FORGOTTEN_AFTER_MS, gate = gateOf }: FleetOptions = {}) {
    this.#self = self;
    this.#forgottenAfterMs = forgottenAfterMs;
    this.#gate = gate;
  }

  /** From now on `events` are called. */
  observe(events: Partial<FleetEvents>): void {
    this.#events = { ...this.#events, ...events };
  }

  /** Takes a connection with an engine node, opened by either side. `closed` is called with the reason. */
  connect(socket: Socket, closed: (reason: string) => void = () => {}): EnginePeer["link"] {
    let isJoined = false;
    const peer = new EnginePeer(socket, this.#self, {
      offered: () => {
        if (!isJoined && peer.identity) this.#events.noticed({ change: "joined", ...named(peer.identity) });
        isJoined = true;
        for (const { name } of peer.offers()) this.#forget(name);
        this.#events.changed();
      },
      faulted: (fault) => this.#events.faulted({ node: peer.identity?.node ?? "", ...fault }),
      closed: (reason) => {
        this.#peers.delete(peer);
        for (const offer of peer.offers()) this.#depart(offer);
        if (peer.identity) this.#events.noticed({ change: "left", ...named(peer.identity), reason });
        else this.#events.noticed({ change: "refused", reason });
        this.#events.changed();
        closed(reason);
      },
    });
    this.#peers.add(peer);
    return peer.link;
  }

  /** Those that have said which engines they have, draining ones among them. */
  nodes(): EnginePeer[] {
    return [...this.#peers].filter(({ hasOffered }) => hasOffered);
  }

  /** Every engine that nodes have, or had until a while ago, each once. */
  offers(): Offer[] {
    const departed = [...this.#departed.values()].map(({ offer }) => offer);
    const current = this.nodes().flatMap((peer) => peer.offers());
    return [...new Map([...departed, ...current].map((offer) => [offer.name, offer])).values()];
  }

  offerOf(name: string): Offer | null {
    return this.offers().find((offer) => offer.name === name) ?? null;
  }

  /**
   * An engine of the nodes: all its tasks go to installations that are equal. `local`: this node's engine, for when no node
   * can take a task. Live streams stay at the node of their first task, and fail with it: their caller opens them elsewhere.
   */
  engine(name: string, local: Engine | null): Engine {
    let identity: string | null = null;
    let streaming: EnginePeer | null = null;
    const streams = new StreamGates();
    return {
      run: async (task, claim, transfer) => {
        const isStream = task.kind === "streaming-recognition";
        const isLive = isStream || claim.urgency === "realtime";
        const attempts = openAttempts(task, claim);
        const tried = new Set<EnginePeer>();
        const untilMs = performance.now() + WAIT_MAX_MS;
        for (;;) {
          const mayWait = () => local === null && !isStream && performance.now() < untilMs;
          while (mayWait() && this.#isFull(name, { identity, tried, isLive })) await waited(claim.signal);
          const peer = (isStream ? streaming : null) ?? this.#choose(name, { identity, tried, isLive });
          const offer = peer?.offerOf(name) ?? null;
          if (peer === null || offer === null) break;
          identity ??= offer.identity;
          if (isStream) streaming = peer;
          tried.add(peer);
          const options = { isEarly: claim.early !== undefined, streams };
          const sending = {
            offer,
            gate: this.#gate(attempts.task, options),
            waitMaxMs: Math.max(0, untilMs - performance.now()),
            isFreeElsewhere: () =>
              !isStream && this.#able(name, { identity, tried, isLive }).some((peer) => peer.isFree(name)),
          };
          const attributes = { "loquat.engine": name, "loquat.node": peer.identity?.node ?? "" };
          try {
            return await inSpan(claim.trace, ["engine", attributes], () =>
              peer.run(sending, attempts.task, attempts.claim),
            );
          } catch (error) {
            if (isStream || claim.signal.aborted) throw error;
            attempts.failed(error);
            this.#events.retried();
          }
        }
        if (local && streaming === null) return local.run(task, claim, transfer);
        throw attempts.reason();
      },
    };
  }

  [Symbol.dispose](): void {
    for (const { timer } of this.#departed.values()) clearTimeout(timer);
    for (const { link } of this.#peers) link.close(1001, "the node is closing");
  }

  #able(name: string, { tried, identity }: Wish): EnginePeer[] {
    return [...this.#peers].filter((peer) => !tried.has(peer) && peer.accepts(name, identity));
  }

  /** Whether the nodes that can take a task must first receive the samples of others. */
  #isFull(name: string, wish: Wish): boolean {
    const able = this.#able(name, wish);
    return able.length > 0 && able.every((peer) => peer.isFull(name, wish.isLive));
  }

  /** Null where no node is left that can take a task. Of those that are equally busy, each has its turn. */
  #choose(name: string, wish: Wish): EnginePeer | null {
    const able = this.#able(name, wish).filter((peer) => !peer.isFull(name, wish.isLive));
    const pressures = able.map((peer) => peer.pressure(name));
    const least = Math.min(...pressures);
    const calmest = able.filter((_, index) => pressures[index] === least);
    return calmest[this.#turn++ % calmest.length] ?? null;
  }

  #depart(offer: Offer): void {
    if (this.nodes().some((peer) => peer.offerOf(offer.name) !== null)) return;
    this.#forget(offer.name);
    const timer = setTimeout(() => {
      this.#forget(offer.name);
      this.#events.changed();
    }, this.#forgottenAfterMs);
    timer.unref();
    this.#departed.set(offer.name, { offer, timer });
  }

  #forget(name: string): void {
    clearTimeout(this.#departed.get(name)?.timer);
    this.#departed.delete(name);
  }
}

async function waited(signal: AbortSignal): Promise<void> {
  await Bun.sleep(FULL_POLL_MS);
  signal.throwIfAborted();
}

const named = ({ node, version }: Peer) => ({ node, version });
