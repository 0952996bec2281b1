/** Runs the command line as a user does: in its own process, with its own data directory. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const MAIN = fileURLToPath(new URL("../../src/main.ts", import.meta.url));

type Ran = { code: number; out: string; err: string };

/** A running `loquat serve`. */
type Serving = {
  url: string;
  pid: number;
  /** Its standard output so far. */
  printed: () => string;
  /** Its standard error so far. */
  complained: () => string;
  /** Resolves to the exit code. */
  ended: Promise<number>;
  /** Sends a signal and resolves to the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number>;
};

export type Cli = Disposable & {
  folder: string;
  /** `input` is its standard input. */
  run(args: string[], environment?: Record<string, string>, input?: string): Promise<Ran>;
  /** `errors`: a file, or a named pipe, in place of a pipe that is read here. */
  serve(environment?: Record<string, string>, options?: string[], errors?: string): Promise<Serving>;
};

const DEFAULTS = { LOQUAT_PLAN: "prepaid", LOQUAT_LAME_DUCK_SECONDS: "0" };

export function openCli(): Cli {
  const folder = mkdtempSync(join(tmpdir(), "loquat-cli-"));
  const children = new Set<Bun.Subprocess>();
  const start = (args: string[], environment: Record<string, string>, { input = "", errors = "" } = {}) => {
    const env = { PATH: Bun.env.PATH, LOQUAT_DATA: join(folder, "data"), ...DEFAULTS, ...environment };
    const command = [process.execPath, MAIN, ...args];
    const child = Bun.spawn(errors === "" ? command : ["sh", "-c", 'exec "$@" 2> "$0"', errors, ...command], {
      cwd: folder,
      env,
      stdin: Buffer.from(input),
      stdout: "pipe",
      stderr: "pipe",
    });
    children.add(child);
    return child;
  };
  return {
    folder,
    async run(args, environment = {}, input = "") {
      const child = start(args, environment, { input });
      const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
      return { code, out, err };
    },
    async serve(environment = {}, options = [], errors = "") {
      const child = start(["serve", ...options], { PORT: "0", ...environment }, { errors });
      let [printed, complained] = ["", ""];
      void (async () => {
        for await (const chunk of child.stderr) complained += Buffer.from(chunk).toString();
      })();
      const { promise: listening, resolve, reject } = Promise.withResolvers<string>();
      void (async () => {
        for await (const chunk of child.stdout) {
          printed += Buffer.from(chunk).toString();
          const url = /listens on (https?:\/\/[^\s/]+)/.exec(printed)?.[1];
          if (url) resolve(url);
        }
        await child.exited;
        reject(new Error(`the server ended: ${printed}${complained}`));
      })();
      return {
        url: await listening,
        pid: child.pid,
        printed: () => printed,
        complained: () => complained,
        ended: child.exited,
        stop(signal = "SIGTERM") {
          child.kill(signal);
          return child.exited;
        },
      };
    },
    [Symbol.dispose]() {
      for (const child of children) child.kill("SIGKILL");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
