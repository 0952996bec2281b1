/** A speech server on a socket that answers as a test writes it, byte by byte: also what no HTTP library would send. */
import { HEADER_BYTES, toInt16, wavHeader } from "../../src/audio/pcm.ts";

type StandInRequest = { path: string; headers: string; body: string };

/** `send` writes; `end` closes after what was written; `reset` closes at once. `left`: the caller has closed. */
export type Reply = {
  send(bytes: string | Uint8Array): void;
  chunk(bytes: Uint8Array): void;
  end(): void;
  reset(): void;
  left: Promise<void>;
};

type Handler = (request: StandInRequest, reply: Reply) => void | Promise<void>;

export type StandIn = Disposable & {
  url: string;
  requests: StandInRequest[];
  /** The most that were open at once. */
  most(): number;
  answer: Handler;
};

type Connection = {
  bytes: string;
  leave: () => void;
  left: Promise<void>;
  isBusy: boolean;
  /** Not written yet: the socket takes only so much at once. */
  unsent: Buffer;
  isEnding: boolean;
};

function flush(socket: Bun.Socket<Connection>): void {
  const { data } = socket;
  if (data.unsent.length > 0) data.unsent = data.unsent.subarray(Math.max(0, socket.write(data.unsent)));
  if (data.isEnding && data.unsent.length === 0) socket.end();
}

const complete = (bytes: string): number => {
  const head = bytes.indexOf("\r\n\r\n");
  if (head < 0) return -1;
  const length = Number(/content-length: (\d+)/i.exec(bytes)?.[1] ?? 0);
  return bytes.length >= head + 4 + length ? head + 4 + length : -1;
};

export function openStandIn(answer: Handler): StandIn {
  const requests: StandInRequest[] = [];
  let open = 0;
  let most = 0;
  const over = ({ data }: Bun.Socket<Connection>) => {
    if (data.isBusy) open--;
    data.isBusy = false;
  };
  const server = Bun.listen<Connection>({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      open: (socket) => void connected(socket),
      close(socket) {
        socket.data.leave();
        over(socket);
      },
      drain: flush,
      data(socket, chunk) {
        const request = requestIn(socket.data, chunk);
        if (request === null) return;
        requests.push(request);
        socket.data.isBusy = true;
        most = Math.max(most, ++open);
        void standIn.answer(request, replyTo(socket, over));
      },
    },
  });
  const standIn: StandIn = {
    url: `http://127.0.0.1:${server.port}`,
    requests,
    most: () => most,
    answer,
    [Symbol.dispose]: () => server.stop(true),
  };
  return standIn;
}

function connected(socket: Bun.Socket<Connection>): void {
  const { promise: left, resolve: leave } = Promise.withResolvers<void>();
  socket.data = { bytes: "", leave, left, isBusy: false, unsent: Buffer.alloc(0), isEnding: false };
}

/** Null while it is not complete. */
function requestIn(connection: Connection, chunk: Buffer): StandInRequest | null {
  connection.bytes += chunk.toString("latin1");
  const end = complete(connection.bytes);
  if (end < 0) return null;
  const text = connection.bytes.slice(0, end);
  connection.bytes = connection.bytes.slice(end);
  const [head = "", body = ""] = text.split(/\r\n\r\n([\s\S]*)/);
  return { path: head.split(" ")[1] ?? "", headers: head.toLowerCase(), body };
}

function replyTo(socket: Bun.Socket<Connection>, over: (socket: Bun.Socket<Connection>) => void): Reply {
  const { data } = socket;
  const send = (bytes: string | Uint8Array) => {
    data.unsent = Buffer.concat([data.unsent, Buffer.from(bytes as Uint8Array)]);
    flush(socket);
  };
  return {
    send,
    chunk(bytes) {
      send(`${bytes.length.toString(16)}\r\n`);
      send(bytes);
      send("\r\n");
    },
    end() {
      over(socket);
      data.isEnding = true;
      flush(socket);
    },
    reset() {
      over(socket);
      socket.terminate();
    },
    left: data.left,
  };
}

const HEAD = (type: string) =>
  `HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n`;

/** Sends chunks of audio as a server that streams does, and its proper end. */
export function stream(reply: Reply, chunks: Uint8Array[], type = "audio/pcm"): void {
  reply.send(HEAD(type));
  for (const chunk of chunks) reply.chunk(chunk);
  reply.send("0\r\n\r\n");
  reply.end();
}

/** Sends the beginning of a stream only. */
export function begin(reply: Reply, chunks: Uint8Array[], type = "audio/pcm"): void {
  reply.send(HEAD(type));
  for (const chunk of chunks) reply.chunk(chunk);
}

/** Header fields, and a body. */
type Whole = Record<string, string>;

export function respond(reply: Reply, status: number, { body = "{}", ...headers }: Whole = {}): void {
  const lines = Object.entries({ "content-type": "application/json", ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  const size = Buffer.byteLength(body);
  reply.send(
    `HTTP/1.1 ${status} X\r\n${lines.join("")}content-length: ${size}\r\nconnection: close\r\n\r\n${body}`,
  );
  reply.end();
}

/** A tone with the level of speech, in s16le. */
export function tone(seconds: number, rate = 24_000): Uint8Array {
  const samples = Float32Array.from(
    { length: seconds * rate },
    (_, i) => 0.3 * Math.sin((i * 440 * 2 * Math.PI) / rate),
  );
  return new Uint8Array(toInt16(samples).buffer);
}

/** A header with any length, right or not. */
export function header(rate: number, dataBytes: number): Uint8Array {
  const bytes = wavHeader(null, rate);
  new DataView(bytes.buffer).setUint32(HEADER_BYTES - 4, dataBytes, true);
  return bytes;
}
