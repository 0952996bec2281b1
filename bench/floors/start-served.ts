/** Starts a server of `served.ts` in its own process. */
import { fileURLToPath } from "node:url";
import type { Kind, Served } from "./served.ts";

const SERVED = fileURLToPath(new URL("served.ts", import.meta.url));

export function startServed(kind: Kind, served: Served) {
  const child = Bun.spawn([process.execPath, SERVED, kind], {
    stdin: new TextEncoder().encode(JSON.stringify(served)),
    stdout: "pipe",
    stderr: "inherit",
  });
  const port = child.stdout
    .getReader()
    .read()
    .then(({ value }) => Number(new TextDecoder().decode(value)));
  return { port, stop: () => child.kill() };
}
