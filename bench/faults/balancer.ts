/** A balancer as small as can be: it asks each node whether it is ready, and gives connections to those that are, in turn. */
import { createServer, Socket } from "node:net";

const ASK_MS = 300;
const HOST = "127.0.0.1";

export type Balancer = Disposable & {
  url: string;
  /** Those that connections go to from now on, once they are ready. */
  use(urls: readonly string[]): void;
  /** How many are ready. */
  ready(): number;
};

export async function openBalancer(): Promise<Balancer> {
  let urls: readonly string[] = [];
  let ready: string[] = [];
  let turn = 0;
  const ask = async () => {
    const answers = await Promise.all(urls.map(isReady));
    ready = urls.filter((_url, at) => answers[at]);
  };
  const timer = setInterval(() => void ask(), ASK_MS);
  const server = createServer((inner) => {
    const url = ready[turn++ % Math.max(1, ready.length)];
    if (url === undefined) return void inner.destroy();
    const outer = new Socket().connect(Number(new URL(url).port), HOST);
    for (const [from, to] of [
      [inner, outer],
      [outer, inner],
    ] as const) {
      from.on("error", () => {});
      from.on("close", () => to.destroy());
      from.pipe(to);
    }
  });
  const { promise, resolve } = Promise.withResolvers<number>();
  server.listen(0, HOST, () => resolve((server.address() as { port: number }).port));
  return {
    url: `http://${HOST}:${await promise}`,
    use(next) {
      urls = next;
    },
    ready: () => ready.length,
    [Symbol.dispose]() {
      clearInterval(timer);
      server.close();
    },
  };
}

async function isReady(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/readyz`, { keepalive: false, signal: AbortSignal.timeout(1000) })).ok;
  } catch {
    return false;
  }
}
