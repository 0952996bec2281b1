/** The real server in its own process, as `npm start` runs it, over a fresh data folder. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export type Server = AsyncDisposable & {
  url: string;
  key: string;
  pid: number;
  /** Its data directory. */
  folder: string;
  /** What `loquat ARGUMENTS --json` says about this server. */
  loquat<T>(...args: string[]): Promise<T>;
};

/** What runs the checkout, as `npm start` does. */
export const CHECKOUT: readonly string[] = [
  process.execPath,
  fileURLToPath(new URL("../../src/main.ts", import.meta.url)),
];

const UNLIMITED = ["--requests", "10000000", "--concurrency", "10000", "--characters", "1000000000"];

/** With limits and credit that no bench meets. `command`: the program, without arguments. */
export async function startServer(
  environment: Record<string, string> = {},
  command: readonly string[] = CHECKOUT,
): Promise<Server> {
  const { loquat, ...node } = await startNode(environment, command);
  const { data } = await loquat("org", "list", "--json").stdout.json();
  await loquat("org", "set-limits", data[0].id, ...UNLIMITED, "--seconds", "100000000", "--monthly", "none")
    .exited;
  await loquat("credit", "grant", "100000").exited;
  await Bun.sleep(1100); // a key's limits are read once a second
  const key = readFileSync(join(node.folder, "first-key"), "utf8").trim();
  return {
    ...node,
    key,
    loquat: async (...args) => JSON.parse(await loquat(...args, "--json").stdout.text()),
  };
}

/** A server alone, such as one more node of a database. `loquat` runs a command with its environment. */
export async function startNode(
  environment: Record<string, string> = {},
  command: readonly string[] = CHECKOUT,
) {
  const folder = mkdtempSync(join(tmpdir(), "loquat-bench-"));
  const defaults = { LOQUAT_DATA: folder, LOQUAT_PLAN: "prepaid", PORT: "0", LOG_LEVEL: "warn" };
  const env = { PATH: Bun.env.PATH, ...defaults, ...environment };
  const loquat = (...args: string[]) =>
    Bun.spawn([...command, ...args], { env, stdout: "pipe", stderr: "inherit" });
  const child = loquat("serve");
  const url = await announced(child.stdout);
  return {
    ...{ url, pid: child.pid, folder, loquat },
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await child.exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The id of a new key for Wyoming, made beside a server that is started for it; `environment` names its data folder. */
export async function wyomingKeyIn(
  environment: Record<string, string>,
  command: readonly string[] = CHECKOUT,
): Promise<string> {
  await using node = await startNode(environment, command);
  return (await node.loquat("keys", "create", "--name", "wyoming", "--json").stdout.json()).id;
}

/** The address a server prints once it listens. */
export async function announced(stdout: ReadableStream<Uint8Array>): Promise<string> {
  let text = "";
  for await (const chunk of stdout.pipeThrough(new TextDecoderStream() as never)) {
    text += chunk;
    const url = /listens on (\S+) /.exec(text)?.[1];
    if (url) return url;
  }
  throw new Error(`the server ended before it listened: ${text}`);
}
