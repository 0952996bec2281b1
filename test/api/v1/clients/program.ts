/**
 * A program of a client in its own process: tasks go in and answers come out as lines of JSON, one at a time. Whatever else
 * it writes, such as what its framework logs, are complaints.
 */
import { createInterface } from "node:readline";
import { Readable } from "node:stream";

export type Program = AsyncDisposable & {
  /** The answer, as the program wrote it, with what was written before it. */
  // biome-ignore lint/suspicious/noExplicitAny: as the program wrote it
  ask(task: string, ...given: unknown[]): Promise<any>;
};

export function openProgram(command: string[], cwd: string): Program {
  const child = Bun.spawn(command, { cwd, stdin: "pipe", stdout: "pipe", stderr: "pipe" });
  const lines = createInterface({ input: Readable.fromWeb(child.stdout as never) })[Symbol.asyncIterator]();
  const errors = child.stderr.text();
  return {
    async ask(...task) {
      child.stdin.write(`${JSON.stringify(task)}\n`);
      child.stdin.flush();
      for (const complaints: string[] = []; ; ) {
        const { value, done } = await lines.next();
        if (done) throw new Error(`it ended: ${complaints.join("\n")}${await errors}`);
        if (value.startsWith('{"answer"')) return { ...JSON.parse(value).answer, complaints };
        complaints.push(value);
      }
    },
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      await child.exited;
    },
  };
}
