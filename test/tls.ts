/** A TLS terminator in front of a plain server, as production has one: stock realtime clients insist on wss. */
import { connect } from "node:net";
import { createServer } from "node:tls";
import { generate } from "selfsigned";

/** `cert`: for clients that accept it by name. */
export async function terminateTls(target: string): Promise<AsyncDisposable & { url: string; cert: string }> {
  const { private: key, cert } = await generate([{ name: "commonName", value: "localhost" }], {
    keySize: 2048,
  });
  const { hostname, port } = new URL(target);
  const server = createServer({ key, cert }, (outside) => {
    const inside = connect(Number(port), hostname);
    outside.pipe(inside).pipe(outside);
    for (const [end, other] of [
      [outside, inside],
      [inside, outside],
    ] as const) {
      end.on("error", () => other.destroy());
      end.on("close", () => other.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address() as { port: number };
  return {
    url: `https://127.0.0.1:${address.port}`,
    cert,
    async [Symbol.asyncDispose]() {
      server.close();
    },
  };
}
