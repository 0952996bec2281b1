/** Callers that never stop asking, over plain sockets: a client library would repeat what was lost, and hide it. */
import type { Socket } from "bun";

export type Count = { answered: number; lost: number };

/** One exchange over a new connection. Resolves to whether the whole response came. */
type Exchange = () => Promise<boolean>;

export type Callers = { count: Count; stop(): Promise<void> };

/** `target`: stops by itself after so many exchanges. */
export function startCallers(
  callers: number,
  exchange: Exchange,
  target = Number.POSITIVE_INFINITY,
): Callers {
  const count: Count = { answered: 0, lost: 0 };
  let going = true;
  const call = async () => {
    while (going && count.answered + count.lost < target) {
      if (await exchange()) count.answered++;
      else count.lost++;
    }
  };
  const ended = Promise.all(Array.from({ length: callers }, call));
  return {
    count,
    async stop() {
      going = false;
      await ended;
    },
  };
}

/** Writes `text`, and waits until what came back `isWhole`. */
export const asking =
  (port: number, text: string, isWhole: (received: string) => boolean): Exchange =>
  () =>
    ask(port, text, isWhole);

async function ask(port: number, text: string, isWhole: (received: string) => boolean): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  let received = "";
  const socket = await Bun.connect({
    hostname: "127.0.0.1",
    port,
    socket: {
      open: (opened) => void opened.write(text),
      data(_socket, bytes) {
        received += bytes.toString("latin1");
        if (isWhole(received)) resolve(true);
      },
      close: () => resolve(isWhole(received)),
      error: () => resolve(false),
    },
  }).catch(() => null);
  if (socket === null) return false;
  const isAnswered = await promise;
  socket.end();
  return isAnswered;
}

/** A response of HTTP/1.1 with status 200 and its whole body. */
export function isResponse(received: string): boolean {
  const head = received.indexOf("\r\n\r\n");
  const length = /^HTTP\/1\.1 200 [\s\S]*?\r\ncontent-length: (\d+)/i.exec(received)?.[1];
  return head >= 0 && length !== undefined && received.length >= head + 4 + Number(length);
}

/** Keeps its connection until a response asks it to close; only a request that was sent and not answered is lost. */
export function keeping(port: number, text: string): Exchange {
  let kept: { socket: Socket; waiting: ((isAnswered: boolean) => void) | null; received: string } | null =
    null;
  return async () => {
    kept ??= await open();
    if (kept === null) return false;
    const mine = kept;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    mine.received = "";
    mine.waiting = resolve;
    mine.socket.write(text);
    const isAnswered = await promise;
    mine.waiting = null;
    if (!isAnswered || /\r\nconnection: close\r\n/i.test(mine.received)) {
      mine.socket.end();
      if (kept === mine) kept = null;
    }
    return isAnswered;
  };
  async function open(): Promise<typeof kept> {
    const mine: NonNullable<typeof kept> = { socket: null as never, waiting: null, received: "" };
    const gone = () => {
      if (kept === mine) kept = null;
      mine.waiting?.(false);
    };
    const socket = await Bun.connect({
      hostname: "127.0.0.1",
      port,
      socket: {
        data(_socket, bytes) {
          mine.received += bytes.toString("latin1");
          if (isResponse(mine.received)) mine.waiting?.(true);
        },
        close: gone,
        error: gone,
      },
    }).catch(() => null);
    if (socket === null) return null;
    mine.socket = socket;
    return mine;
  }
}
