/** A WebSocket to a server, at the address that its name has at this time. */
import type { Address } from "./resolve-names.ts";

/** `closed`: by the other side, with the reason; never after `close`. */
type SocketEvents = { opened(): void; received(data: unknown): void; closed(reason: string): void };

export type UpstreamSocket = {
  readonly isOpen: boolean;
  send(text: string): void;
  bufferedBytes(): number;
  /** Ends the connection: in order, or at once where the other side would go on sending. */
  close(): void;
  terminate(): void;
};

/** How long the other side may take to answer that the connection closes: what it sends meanwhile is read. */
const LINGER_MS = 250;

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
      if (isClosed) return;
      isClosed = true;
      socket.close(1000);
      setTimeout(() => socket.terminate(), LINGER_MS).unref();
    },
    terminate() {
      isClosed = true;
      socket.terminate();
    },
  };
}
