/** A stand-in for an engine node that speaks the protocol of nodes, and answers tasks as a test says: truly, or with lies. */
import { type FromApi, type Offer, PROTOCOL, type TaskMessage } from "../../../src/engine/remote/messages.ts";
import { decodeData, encodeData } from "../../../src/engine/remote/wire-data.ts";
import type { Package } from "../../../src/models/packages/package.ts";

const FRAME_BYTES = 60 * 1024;
const SIZE = 8;

export type Asked = { id: number; engine: string; early: boolean; task: never };

/** What a node can do with the task that it was asked to do. */
export type Reply = ReturnType<typeof replyTo>;

export const offerOf = (pkg: Package, stateful = false): Offer => ({
  name: pkg.name,
  identity: `${pkg.name}@1`,
  manifest: JSON.stringify(pkg),
  stateful,
  size: SIZE,
});

type Place = { url: string; secret: string; offers: Offer[] };

/** Connects to an API node, which must be able to hold it. */
export async function openStandInNode(place: Place): Promise<StandInNode> {
  const node = new StandInNode(place);
  await node.opened;
  return node;
}

const HELLO = {
  ...{ type: "hello", protocol: PROTOCOL, role: "engine", version: "1.0.0" },
  ...{ node: "stand-in", instance: "stand-in" },
};
const BEAT_MS = 500;

export class StandInNode implements Disposable {
  answer: (asked: Asked, reply: Reply) => unknown = (_asked, reply) => reply.failed();
  /** Tasks that were sent, and the ids of those that were cancelled. */
  readonly asked: Asked[] = [];
  readonly cancelled: number[] = [];
  readonly opened: Promise<void>;
  /** With the reason; it stays closed. */
  readonly closed: Promise<string>;
  readonly #socket: WebSocket;
  readonly #offers: Offer[];
  readonly #beat: Timer;
  /** Tasks whose samples are not all here. */
  readonly #arriving = new Map<number, { message: TaskMessage; parts: Uint8Array[]; left: number }>();
  #waiting = 0;

  constructor({ url, secret, offers }: Place) {
    const headers = { authorization: `Bearer ${secret}` };
    const socket = new WebSocket(`${url.replace("http", "ws")}/engines`, { headers } as never);
    socket.binaryType = "arraybuffer";
    this.#socket = socket;
    this.#offers = offers;
    this.#beat = setInterval(() => this.load(this.#waiting), BEAT_MS);
    const opened = Promise.withResolvers<void>();
    const closed = Promise.withResolvers<string>();
    [this.opened, this.closed] = [opened.promise, closed.promise];
    socket.onopen = () => {
      sendTo(socket, HELLO);
      sendTo(socket, { type: "offer", engines: offers });
      opened.resolve();
    };
    socket.onerror = () => opened.reject(new Error("the node was refused"));
    socket.onclose = ({ reason }) => closed.resolve(reason);
    socket.onmessage = ({ data }) => {
      if (typeof data === "string") this.#takeMessage(JSON.parse(data));
      else this.#takeFrame(new Uint8Array(data as ArrayBuffer));
    };
  }

  /** Says now, and at each beat, how many tasks of each engine wait. */
  load(waiting: number): void {
    this.#waiting = waiting;
    const engines = this.#offers.map(({ name }) => ({
      name,
      running: waiting > 0 ? SIZE : 0,
      waiting,
    }));
    sendTo(this.#socket, { type: "load", engines, draining: false });
  }

  [Symbol.dispose](): void {
    clearInterval(this.#beat);
    this.#socket.close();
  }

  #takeMessage(message: FromApi): void {
    if (message.type === "cancel") {
      this.cancelled.push(message.id);
      this.#arriving.delete(message.id);
    }
    if (message.type !== "task") return;
    const left = message.data.samples.reduce((sum, { length }) => sum + 4 * length, 0);
    if (left === 0) this.#take(message, new Uint8Array());
    else this.#arriving.set(message.id, { message, parts: [], left });
  }

  #takeFrame(frame: Uint8Array): void {
    const id = new DataView(frame.buffer, frame.byteOffset).getUint32(0, true);
    const arriving = this.#arriving.get(id);
    if (!arriving) return;
    arriving.parts.push(frame.subarray(4));
    arriving.left -= frame.length - 4;
    if (arriving.left > 0) return;
    this.#arriving.delete(id);
    this.#take(arriving.message, new Uint8Array(Buffer.concat(arriving.parts)));
  }

  #take({ id, engine, early = false, data }: TaskMessage, bytes: Uint8Array): void {
    const asked: Asked = { id, engine, early, task: decodeData(data, bytes)!.value as never };
    this.asked.push(asked);
    void this.answer(asked, replyTo(id, this.#socket));
  }
}

function sendTo(socket: WebSocket, message: object): void {
  if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
}

function replyTo(id: number, socket: WebSocket) {
  const send = (message: object) => sendTo(socket, message);
  const frames = (bytes: Uint8Array, of = id) => {
    for (let at = 0; at < bytes.length; at += FRAME_BYTES) {
      const head = new Uint8Array(Uint32Array.of(of).buffer);
      const frame = Buffer.concat([head, bytes.subarray(at, at + FRAME_BYTES)]);
      if (socket.readyState === WebSocket.OPEN) socket.send(frame as never);
    }
  };
  /** As an honest node sends data with samples in it. */
  const data = (type: string, value: unknown, of = id) => {
    const { data, parts } = encodeData(value);
    send({ type, id: of, data });
    for (const part of parts) frames(part, of);
  };
  return {
    send,
    frames,
    begun: () => send({ type: "begun", id }),
    early: (samples: unknown) => data("early", samples),
    hypothesis: (value: unknown) => send({ type: "hypothesis", id, value }),
    result: (value: unknown, of = id) => data("result", value, of),
    failed: () =>
      send({
        ...{ type: "failed", id },
        failure: { code: null, message: "it broke", retryAfterSeconds: null, begun: true },
      }),
  };
}
