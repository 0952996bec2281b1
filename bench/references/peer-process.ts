/** A script of the Python references in its own process: a line of JSON in, a line of JSON out, one task at a time. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { fileURLToPath } from "node:url";

type Peer<Ready> = AsyncDisposable & {
  pid: number;
  /** Its first line. */
  ready: Ready;
  /** A temporary folder for what it reads or writes. */
  folder: string;
  // biome-ignore lint/suspicious/noExplicitAny: the answer is as the script wrote it
  ask(task: object): Promise<any>;
};

/** `script`: a file of this folder, and its arguments. */
export async function openPeer<Ready>(python: string, [script, ...args]: string[]): Promise<Peer<Ready>> {
  const path = fileURLToPath(new URL(script!, import.meta.url));
  const child = Bun.spawn([python, path, ...args], { stdin: "pipe", stdout: "pipe", stderr: "inherit" });
  const lines = createInterface({ input: Readable.fromWeb(child.stdout as never) })[Symbol.asyncIterator]();
  const folder = mkdtempSync(join(tmpdir(), "loquat-peer-"));
  const read = async () => {
    const { value, done } = await lines.next();
    if (done) throw new Error(`${script} ${args.join(" ")} ended`);
    return JSON.parse(value);
  };
  return {
    pid: child.pid,
    ready: await read(),
    folder,
    ask(task) {
      child.stdin.write(`${JSON.stringify(task)}\n`);
      child.stdin.flush();
      return read();
    },
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      await child.exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
