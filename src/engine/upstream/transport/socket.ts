/** A WebSocket to a server, at the address that its name has at this time. */
import type { Address } from "./resolve-names.ts";

/** `closed`: by the other side, with the reason; never after `close`. */
type SocketEvents = { opened(): void; received(data: unknown): void; closed(reason: string): void };

export type UpstreamSocket = {
  readonly isOpen: boolean;
  send(text: string): void;
  bufferedBytes(): number;
  close(): void;
};

type Asked = { path: string; headers: Record<string, string> };

export function openSocket(
  { base, host }: Address,
  { path, headers }: Asked,
  events: SocketEvents,
): UpstreamSocket {
  const name = host?.replace(/:\d+$/, "");
  const socket = new WebSocket(base.replace(/^http/, "ws") + path, {
    headers: { ...headers, ...(host ? { host } : {}) },
    ...(name && base.startsWith("https:") ? { tls: { serverName: name } } : {}),
  } as never);
  let isClosed = false;
  const ended = (reason: string) => {
    if (!isClosed) events.closed(reason);
    isClosed = true;
  };
  socket.onopen = () => !isClosed && events.opened();
  socket.onmessage = ({ data }) => !isClosed && events.received(data);
  socket.onerror = () => ended("the connection could not be opened, or broke");
  socket.onclose = ({ code, reason }) => ended(`the server closed the connection: ${code} ${reason}`);
  return {
    get isOpen() {
      return !isClosed && socket.readyState === WebSocket.OPEN;
    },
    send: (text) => void socket.send(text),
    bufferedBytes: () => socket.bufferedAmount,
    close() {
      isClosed = true;
      socket.close(1000);
    },
  };
}
