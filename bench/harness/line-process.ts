/** A process that answers lines of standard input with lines of JSON, over a fresh data folder. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export type LineProcess<T> = AsyncDisposable & {
  /** The first line that it printed. */
  ready: T;
  /** Its next line: the answer to this one. */
  ask<A>(line: string): Promise<A>;
};

/** `args`: of Bun. */
export async function startLineProcess<T>(
  args: readonly string[],
  environment: Record<string, string> = {},
): Promise<LineProcess<T>> {
  const folder = mkdtempSync(join(tmpdir(), "loquat-bench-"));
  const child = Bun.spawn([process.execPath, ...args], {
    env: { PATH: Bun.env.PATH, LOQUAT_DATA: folder, LOG_LEVEL: "warn", ...environment },
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  });
  const lines = linesOf(child.stdout);
  const next = async <A>(): Promise<A> => {
    const { value, done } = await lines.next();
    if (done) throw new Error("the process ended");
    return JSON.parse(value);
  };
  return {
    ready: await next(),
    async ask(line) {
      child.stdin.write(`${line}\n`);
      await child.stdin.flush();
      return next();
    },
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await child.exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function* linesOf(stdout: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  let text = "";
  for await (const chunk of stdout.pipeThrough(new TextDecoderStream() as never)) {
    const lines = (text + chunk).split("\n");
    text = lines.pop()!;
    yield* lines;
  }
}
