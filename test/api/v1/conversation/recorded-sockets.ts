/** A proxy before a server that keeps what the sockets of stock clients are told. Sessions of the beta are not kept. */
import type { Server } from "bun";
import type { ServerEvent } from "../realtime/live.ts";
import { keepEvents } from "./every-event.ts";

type Data = { upstream: WebSocket; waiting: string[] };

export function recordSockets(target: string): AsyncDisposable & { url: string } {
  const server = Bun.serve<Data>({
    port: 0,
    hostname: "127.0.0.1",
    fetch: (request, server) => upgrade(request, server, target),
    websocket: {
      maxPayloadLength: 24 * 1024 * 1024,
      open(socket) {
        const { upstream, waiting } = socket.data;
        upstream.onmessage = ({ data }) => void socket.send(data);
        for (const text of waiting.splice(0)) socket.send(text);
        upstream.onclose = ({ code, reason }) => socket.close(code, reason);
      },
      message: ({ data: { upstream } }, frame) => void upstream.send(frame),
      close: ({ data: { upstream } }) => upstream.close(),
    },
  });
  return {
    url: server.url.origin,
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

async function upgrade(
  request: Request,
  server: Server<Data>,
  target: string,
): Promise<Response | undefined> {
  const { pathname, search } = new URL(request.url);
  const names = ["authorization", "openai-beta", "origin"];
  const headers = Object.fromEntries(names.flatMap((name) => headerOf(request, name)));
  const protocols = request.headers.get("sec-websocket-protocol")?.split(/, */) ?? [];
  const upstream = new WebSocket(`${target.replace("http", "ws")}${pathname}${search}`, {
    headers,
    protocols,
  } as never);
  const isBeta = "openai-beta" in headers || protocols.some((name) => name.includes("beta"));
  const events: ServerEvent[] = [];
  if (!isBeta) keepEvents(events);
  const waiting: string[] = [];
  upstream.addEventListener("message", ({ data }) => events.push(JSON.parse(data)));
  upstream.onmessage = ({ data }) => waiting.push(data);
  await new Promise((resolve) => {
    upstream.onopen = resolve;
    upstream.onerror = resolve;
  });
  const chosen = upstream.protocol === "" ? undefined : { "sec-websocket-protocol": upstream.protocol };
  if (server.upgrade(request, { data: { upstream, waiting }, ...(chosen && { headers: chosen }) })) return;
  return new Response(null, { status: 400 });
}

const headerOf = (request: Request, name: string): [string, string][] => {
  const value = request.headers.get(name);
  return value === null ? [] : [[name, value]];
};
