/** A client of the Wyoming port: sends events, collects what is answered, and sees when the connection ends. */
import { connect, type Socket } from "node:net";
import { openWyomingPort } from "../../src/server/wyoming-port.ts";
import { encodeEvent, FrameDecoder, type WyomingEvent } from "../../src/wyoming/framing.ts";
import type { WyomingOptions } from "../../src/wyoming/listener.ts";
import type { Harness } from "../harness.ts";

export type ServedWyoming = AsyncDisposable & { port: number };

/** As the environment says it, on a free port; without another key, of the harness's first one. */
export async function serveWyoming(
  { parts }: Harness,
  { keyId, ...options }: WyomingOptions & { keyId?: string } = {},
): Promise<ServedWyoming> {
  const [first] = (await parts.accounts.listKeys()).filter(({ name }) => name === "first");
  const wyoming = { port: 0, keyId: keyId ?? first!.id };
  const server = openWyomingPort({ ...parts, config: { ...parts.config, wyoming } });
  await server.listen(options);
  const { port } = server.current()!;
  return { port, [Symbol.asyncDispose]: async () => server[Symbol.asyncDispose]() };
}

export type WyomingPeer = AsyncDisposable & {
  socket: Socket;
  send(type: string, data?: object, payload?: Uint8Array): void;
  /** The next event; null once the connection has ended. */
  next(): Promise<WyomingEvent | null>;
  /** All events up to and with one of this type; without it, up to the end of the connection. */
  until(type?: string): Promise<WyomingEvent[]>;
};

/** What is done over a connection of its own, which is closed afterwards. */
export async function withPeer<T>(port: number, work: (peer: WyomingPeer) => Promise<T>): Promise<T> {
  await using peer = await openPeer(port);
  return await work(peer);
}

export async function openPeer(port: number): Promise<WyomingPeer> {
  const socket = connect(port, "127.0.0.1");
  const decoder = new FrameDecoder();
  const events: WyomingEvent[] = [];
  let isOver = false;
  let wake = () => {};
  socket.on("data", (bytes) => {
    events.push(...decoder.push(bytes as Buffer));
    wake();
  });
  socket.on("error", () => {});
  socket.on("close", () => {
    isOver = true;
    wake();
  });
  await new Promise<void>((resolve) => socket.once("connect", resolve));
  const next = async () => {
    while (events.length === 0 && !isOver)
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    return events.shift() ?? null;
  };
  return {
    socket,
    send: (type, data = {}, payload) =>
      void socket.write(encodeEvent({ type, data: { ...data }, payload: payload ?? null })),
    next,
    async until(type) {
      const all: WyomingEvent[] = [];
      for (let event = await next(); event !== null; event = await next()) {
        all.push(event);
        if (event.type === type) break;
      }
      return all;
    },
    async [Symbol.asyncDispose]() {
      socket.destroy();
    },
  };
}

export const typesOf = (events: WyomingEvent[]): string[] => events.map(({ type }) => type);

/** The audio of chunks, joined. */
export const audioOf = (events: WyomingEvent[]): Buffer =>
  Buffer.concat(events.flatMap(({ type, payload }) => (type === "audio-chunk" && payload ? [payload] : [])));
