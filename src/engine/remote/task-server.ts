/**
 * What an engine node does for one API node: it runs its tasks in the registry, so that they take their turn among those of
 * all API nodes, and sends back what the engines return.
 */

import { TransientMap } from "../../transient.ts";
import type { RecognitionTask } from "../protocol/recognition.ts";
import type { StreamingResult, StreamingTask } from "../protocol/streaming-recognition.ts";
import { unknownKind } from "../protocol/task.ts";
import { taskBytes, WaitingRoom } from "../queue/waiting-room.ts";
import type { Engine, EngineRegistry } from "../registry.ts";
import { busy, type Claim, closing, StartFailure, soleClaim } from "../runner.ts";
import { CLOSED, Link, type Peer, type Self } from "./link.ts";
import type { FromApi, Hello, LoadMessage, Offer, TaskMessage } from "./messages.ts";
import { failureOf } from "./node-failure.ts";
import type { Socket } from "./outgoing.ts";
import { type RemoteTask, receivedTask } from "./remote-task.ts";
import { StreamIds } from "./stream-ids.ts";
import { decodeData, encodeData } from "./wire-data.ts";

/** What an engine node serves. */
export type Served = {
  registry: Pick<EngineRegistry, "engine" | "loads">;
  offers(): Offer[];
  /** New for every live stream. */
  nextStream(): number;
};

export type TaskServerEvents = {
  greeted(peer: Peer): void;
  closed(peer: Peer | null, reason: string): void;
};

const STREAMS_MAX = 10_000;
/** Results that wait to be sent; beyond it the API node reads too slowly to get more. */
const QUEUED_BYTES_MAX = 256 * 1024 * 1024;

/** `cancel`: read by the engine between utterances. `begun` is called once it waits no longer, or more often. */
type Running = { left: AbortController; cancel: Int32Array<SharedArrayBuffer>; begun: () => void };

export class TaskServer {
  readonly #served: Served;
  readonly #link: Link<"engine">;
  readonly #running = new TransientMap<number, Running>();
  /** Live speech has its own, so that no recordings keep it out. */
  readonly #rooms = { live: new WaitingRoom(), others: new WaitingRoom() };
  readonly #streams = new Map<string, { engine: Engine; ids: StreamIds }>();
  #peer: Peer | null = null;
  #draining = false;
  #closing = false;

  constructor(socket: Socket, { self, ...served }: Served & { self: Self }, events: TaskServerEvents) {
    this.#served = served;
    this.#link = new Link<"engine">(
      socket,
      { role: "engine", self },
      {
        greeted: (peer) => {
          this.#peer = peer;
          this.offer();
          this.#link.send(this.#load());
          events.greeted(peer);
        },
        takes: () => true,
        stalled: () => this.#link.close(CLOSED.protocol, "the samples of a task stayed away"),
        received: (message, body) => this.#receive(message, body),
        beat: () => this.#load(),
        closed: (reason) => {
          this.#leave();
          events.closed(this.#peer, reason);
        },
      },
    );
  }

  get link(): Pick<Link, "receive" | "ended" | "close"> {
    return this.#link;
  }

  /** Sends what this node offers now. */
  offer(): void {
    if (this.#peer !== null) this.#link.send({ type: "offer", engines: this.#served.offers() });
  }

  /** The API node sends no more tasks; those that it has sent are answered. */
  drain(): void {
    this.#draining = true;
    if (this.#peer !== null) this.#link.send(this.#load());
  }

  /** Closes the connection as soon as it has no task and no live stream. */
  closeWhenIdle(): void {
    this.#closing = true;
    this.#closeIfIdle();
  }

  #closeIfIdle(): void {
    const streams = [...this.#streams.values()].reduce((sum, { ids }) => sum + ids.size, 0);
    if (this.#closing && this.#running.size === 0 && streams === 0)
      this.#link.close(CLOSED.goingAway, "the engine node is closing");
  }

  #load(): LoadMessage {
    return { type: "load", engines: this.#served.registry.loads(), draining: this.#draining };
  }

  #receive(message: Exclude<FromApi, Hello>, body: Uint8Array): void {
    if (message.type === "task") return void this.#serve(message, body);
    if (message.type !== "cancel") return;
    this.#link.discard(message.id);
    const running = this.#running.get(message.id);
    if (running) stop(running);
  }

  async #serve(message: TaskMessage, body: Uint8Array): Promise<void> {
    const { id } = message;
    const cancel = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    const running: Running = { left: new AbortController(), cancel, begun() {} };
    try {
      running.begun = this.#admit(message, body.length);
      this.#running.set(id, running);
      const { data, parts } = encodeData(await this.#run(message, body, running));
      this.#link.send({ type: "result", id, data }, parts);
      if (this.#link.queuedBytes > QUEUED_BYTES_MAX)
        this.#link.close(CLOSED.silent, "results are read too slowly");
    } catch (error) {
      this.#link.send({ type: "failed", id, failure: failureOf(error) });
    } finally {
      running.begun();
      this.#running.delete(id);
      this.#closeIfIdle();
    }
  }

  /** Throws a refusal, or an error that sends the task to another node. Returns what is to be called once it has begun. */
  #admit({ id, engine, identity, claim, data }: TaskMessage, sampleBytes: number): () => void {
    if (this.#closing) throw closing();
    if (this.#running.has(id)) throw new Error("a task repeats an id");
    const offer = this.#served.offers().find(({ name }) => name === engine);
    if (offer?.identity !== identity)
      throw new StartFailure(new Error(`the node has another installation of ${engine}, or none`));
    const room = claim.urgency === "realtime" ? this.#rooms.live : this.#rooms.others;
    const bytes = taskBytes(data.value, sampleBytes);
    if (!room.hasRoom(bytes, offer.size)) throw busy(1000);
    return room.enter(bytes);
  }

  #run(message: TaskMessage, body: Uint8Array, running: Running): Promise<unknown> {
    const decoded = decodeData(message.data, body);
    if (decoded === null) throw new Error("the task lacks its samples");
    const task = receivedTask(decoded.value);
    const claim: Claim = {
      ...message.claim,
      signal: running.left.signal,
      begun: () => {
        running.begun();
        this.#link.send({ type: "begun", id: message.id });
      },
      ...(message.early ? { early: (samples) => this.#deliver(message.id, samples) } : {}),
    };
    switch (task.kind) {
      case "recognition":
        return this.#recognize(message, task, { ...running, claim });
      case "streaming-recognition":
        return this.#stream(message.engine, task, claim);
      case "synthesis":
      case "voice-encoding":
      case "turn":
      case "speaker-windows":
      case "speaker-voice":
      case "speakers":
        return this.#served.registry.engine(message.engine).run(task, claim);
      default:
        return unknownKind(task);
    }
  }

  #deliver(id: number, samples: Float32Array): void {
    const { data, parts } = encodeData(samples);
    this.#link.send({ type: "early", id, data }, parts);
  }

  /** Resolves to the number of hypotheses, when all of them have been sent. */
  async #recognize(
    { id, engine }: TaskMessage,
    plain: Extract<RemoteTask, { kind: "recognition" }>,
    { cancel, claim }: Running & { claim: Claim },
  ): Promise<number> {
    const { port1, port2 } = new MessageChannel();
    const task: RecognitionTask = { ...plain, cancel, port: port2 };
    let sent = 0;
    const { promise: all, resolve: allSent } = Promise.withResolvers<void>();
    let expected = Number.POSITIVE_INFINITY;
    port1.onmessage = ({ data }) => {
      this.#link.send({ type: "hypothesis", id, value: data });
      if (++sent >= expected) allSent();
    };
    try {
      const transfer = [port2 as never, task.samples.buffer as ArrayBuffer];
      expected = await this.#served.registry.engine(engine).run(task, claim, transfer);
      if (sent < expected) await all;
      return expected;
    } finally {
      port1.close();
    }
  }

  /** All tasks of the streams go to the engine that has their state, even after another was installed. */
  async #stream(name: string, task: StreamingTask, claim: Claim): Promise<StreamingResult[]> {
    const known = this.#streams.get(name);
    const streams =
      known && known.ids.size > 0
        ? known
        : { engine: this.#served.registry.engine(name), ids: new StreamIds(this.#served.nextStream) };
    this.#streams.set(name, streams);
    if (streams.ids.size + task.open.length > STREAMS_MAX) throw busy(1000);
    const translated = streams.ids.translate(task);
    return translated.results(await streams.engine.run(translated.task, claim));
  }

  /** The API node is gone: its tasks have no caller. */
  #leave(): void {
    for (const running of this.#running.values()) stop(running);
    for (const { engine, ids } of this.#streams.values()) {
      const task = ids.closing();
      if (task) engine.run(task, { ...soleClaim(), urgency: "realtime" }).catch(() => {}); // it ended with its streams
    }
    this.#streams.clear();
  }
}

function stop({ left, cancel }: Running): void {
  Atomics.store(cancel, 0, 1);
  left.abort();
}
