/** PostgreSQL servers of a test's own, which it may stop and restore: each in a folder, on a port, as an ordinary user. */
import { appendFileSync, chownSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../free-port.ts";

const HOST = "127.0.0.1";
const VERSIONS = "/usr/lib/postgresql";

export type OwnPostgres = AsyncDisposable & { url: string; port: number };

/** Where the newest installed PostgreSQL's programs are; null: there is none. */
export function postgresPrograms(): string | null {
  if (process.platform !== "linux") return null;
  try {
    const [newest] = readdirSync(VERSIONS).toSorted((a, b) => Number(b) - Number(a));
    return newest === undefined ? null : join(VERSIONS, newest, "bin");
  } catch {
    return null;
  }
}

/** A folder that PostgreSQL may write: it refuses to run as root. */
export function makeFolder(path: string): string {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  if (isRoot) chownSync(path, Number(idOf("-u")), Number(idOf("-g")));
  return path;
}

/** A new database cluster, which is not started. `settings`: lines of postgresql.conf. */
export async function initialize(folder: string, settings: string[]): Promise<void> {
  await run("initdb", "--pgdata", folder, "--username", "loquat", "--auth", "trust", "--no-sync");
  configure(folder, settings);
}

export function configure(folder: string, settings: string[]): void {
  appendFileSync(join(folder, "postgresql.conf"), `${settings.join("\n")}\n`);
}

/** Resolves when it takes connections; stopped at once when it is disposed of. */
export async function start(folder: string): Promise<OwnPostgres> {
  const port = freePort();
  const options = `-p ${port} -c listen_addresses=${HOST} -c unix_socket_directories=${folder} -c fsync=off`;
  const log = join(folder, "server.log");
  await run("pg_ctl", "start", "--wait", "--pgdata", folder, "--log", log, "--options", options);
  return {
    url: `postgres://loquat@${HOST}:${port}/postgres`,
    port,
    async [Symbol.asyncDispose]() {
      await run("pg_ctl", "stop", "--wait", "--mode", "immediate", "--pgdata", folder);
    },
  };
}

/** Runs one of PostgreSQL's programs; throws with its output where it fails. */
export async function run(program: string, ...args: string[]): Promise<void> {
  const command = [join(postgresPrograms()!, program), ...args];
  const child = Bun.spawn(isRoot ? ["setpriv", ...asPostgres(), ...command] : command, {
    cwd: "/",
    stdin: "ignore",
    stdout: "ignore", // the server that it starts would hold a pipe
    stderr: "ignore",
  });
  if ((await child.exited) !== 0) throw new Error(`${program} failed: ${args.join(" ")}`);
}

const isRoot = process.getuid?.() === 0;

const asPostgres = () => [`--reuid=${idOf("-u")}`, `--regid=${idOf("-g")}`, "--clear-groups"];

const idOf = (which: "-u" | "-g") => Bun.spawnSync(["id", which, "postgres"]).stdout.toString().trim();
