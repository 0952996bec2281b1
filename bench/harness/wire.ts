/** HTTP over raw sockets, because a real HTTP client would be the slower half of what is measured. */

/** One connection; one request at a time. Resolves with the status once the whole response is here. */
export type Wire = { ask(request: Uint8Array): Promise<number>; close(): void };

export async function openWire(port: number): Promise<Wire> {
  let answered: { resolve(status: number): void; reject(reason: Error): void } | null = null;
  let [status, owed] = [0, 0];
  const socket = await Bun.connect({
    hostname: "127.0.0.1",
    port,
    socket: {
      data(_socket, chunk) {
        if (owed === 0) {
          status = Number(chunk.toString("latin1", 9, 12));
          owed = lengthOf(chunk);
        }
        owed -= chunk.length;
        if (owed === 0) answered?.resolve(status);
      },
      close: () => answered?.reject(new Error("the server hung up")),
    },
  });
  return {
    ask(request) {
      socket.write(request);
      return new Promise((resolve, reject) => {
        answered = { resolve, reject };
      });
    },
    close: () => void socket.terminate(),
  };
}

const LENGTH = "Content-Length: ";

/** Bytes of the response that a chunk begins; its heading is never in two. */
function lengthOf(chunk: Buffer): number {
  const position = chunk.indexOf(LENGTH) + LENGTH.length;
  const body = Number(chunk.toString("latin1", position, chunk.indexOf("\r", position)));
  return chunk.indexOf("\r\n\r\n") + 4 + body;
}

/** JSON, or a body of another type. */
type Content = string | { type: string; body: Uint8Array };

/** A request as bytes. */
export function post(path: string, key: string, content: Content): Uint8Array {
  const { type, body } = typeof content === "string" ? { type: "application/json", body: content } : content;
  const bytes = Buffer.from(body);
  const headers = [`Content-Type: ${type}`, `Content-Length: ${bytes.length}`];
  return Buffer.concat([heading(`POST ${path}`, key, headers), bytes]);
}

export const get = (path: string, key: string): Uint8Array => heading(`GET ${path}`, key, []);

function heading(what: string, key: string, headers: string[]): Buffer {
  const lines = [`${what} HTTP/1.1`, "Host: 127.0.0.1", `Authorization: Bearer ${key}`, ...headers];
  return Buffer.from(`${lines.join("\r\n")}\r\n\r\n`);
}
