/** Runs the command line as a user does: in its own process, with its own data directory. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const IN_TURN = fileURLToPath(new URL("commands-in-turn.ts", import.meta.url));
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
  /** As `run`, in one process for all of them, after one another: for commands that read no input and write only text. */
  runInTurn(args: string[], environment?: Record<string, string>): Promise<Ran>;
  /** `errors`: a file, or a named pipe, in place of a pipe that is read here. */
  serve(environment?: Record<string, string>, options?: string[], errors?: string): Promise<Serving>;
};

const DEFAULTS = { LOQUAT_PLAN: "prepaid", LOQUAT_LAME_DUCK_SECONDS: "0" };

export function openCli(): Cli {
  const folder = mkdtempSync(join(tmpdir(), "loquat-cli-"));
  const children = new Set<Bun.Subprocess>();
  const whole = (environment: Record<string, string>) => ({
    ...{ PATH: Bun.env.PATH!, LOQUAT_DATA: join(folder, "data"), ...DEFAULTS, ...environment },
  });
  const start = (args: string[], environment: Record<string, string>, { input = "", errors = "" } = {}) => {
    const env = whole(environment);
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
  let inTurn: InTurn | null = null;
  return {
    folder,
    runInTurn(args, environment = {}) {
      inTurn ??= startInTurn(folder, whole({}));
      return inTurn.run({ args, env: whole(environment) });
    },
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
      inTurn?.[Symbol.dispose]();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

type InTurn = Disposable & { run(asked: { args: string[]; env: Record<string, string> }): Promise<Ran> };

/** The process of `runInTurn`. */
function startInTurn(cwd: string, env: Record<string, string>): InTurn {
  const answers: ((ran: Ran) => void)[] = [];
  const ready = Promise.withResolvers<void>();
  const child = Bun.spawn([process.execPath, IN_TURN], {
    ...{ cwd, env, stdin: "ignore", stdout: "inherit", stderr: "inherit" },
    ipc: (message) => (message === "ready" ? ready.resolve() : answers.shift()!(message)),
  });
  const ended = child.exited.then((): never => {
    throw new Error("the process of the commands ended");
  });
  ended.catch(() => {}); // of interest to a command that waits
  return {
    async run(asked) {
      await Promise.race([ready.promise, ended]);
      const { promise, resolve } = Promise.withResolvers<Ran>();
      answers.push(resolve);
      child.send(asked);
      return await Promise.race([promise, ended]);
    },
    [Symbol.dispose]: () => child.kill("SIGKILL"),
  };
}
