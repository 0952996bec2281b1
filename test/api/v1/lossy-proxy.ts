/** A proxy in front of a server that takes complete answers and drops the connection with the client in their place. */
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

type LossyProxy = AsyncDisposable & {
  url: string;
  /** So many of the next answers are lost. */
  lose(count: number): void;
  /** The answers of the server, lost or not. */
  answers: { status: number; replayed: string | null }[];
};

/** `targets`: the origins that requests go to, one after the other in turn. */
export async function openLossyProxy(targets: string[]): Promise<LossyProxy> {
  const answers: LossyProxy["answers"] = [];
  let left = 0;
  let turn = 0;
  const server = createServer(async (request, response) => {
    const target = targets[turn++ % targets.length]!;
    const { "content-length": _length, host: _host, connection: _connection, ...headers } = request.headers;
    const answer = await fetch(target + request.url, {
      method: request.method!,
      headers: headers as Record<string, string>,
      body: await bodyOf(request),
    });
    const bytes = await answer.bytes();
    answers.push({ status: answer.status, replayed: answer.headers.get("idempotent-replayed") });
    if (left > 0) {
      left--;
      request.socket.destroy();
      return;
    }
    const { "content-encoding": _encoding, ...kept } = Object.fromEntries(answer.headers);
    response.writeHead(answer.status, kept).end(bytes);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    lose(count) {
      left = count;
    },
    answers,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk as Uint8Array);
  return Uint8Array.from(Buffer.concat(chunks));
}
