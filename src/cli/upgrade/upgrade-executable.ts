/**
 * Replaces an executable. The order of the steps is the rollback: the file is replaced last, so that a failure before leaves
 * everything as it was.
 *
 *   hash ──> identity ──> backup, if the database is migrated ──> handover ──> the file
 */

import { existsSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { Config } from "../../config/config.ts";
import { get, type Hub } from "../../models/pull/hub.ts";
import { hashOf } from "../../models/store/store-writer.ts";
import { type RunningServer, runningServer } from "../../server/lifecycle/running-server.ts";
import { hasDatabase } from "../../server/storage.ts";
import { backUp } from "../backup/backup.ts";
import { handOver } from "./hand-over.ts";
import { type Identity, identity } from "./identity.ts";
import { identityOf, stage } from "./staging.ts";
import { UpgradeError } from "./upgrade-error.ts";

type Upgrade = {
  /** A path, or an http or https address. */
  from: string;
  /** Null: as SHA256SUMS beside it says. */
  sha256: string | null;
  allowOlder: boolean;
  config: Config;
  hub: Hub;
  progress: (bytes: number, total: number) => void;
  /** Called with what was done, and with what remains to be done. */
  print: (line: string) => void;
  note: (line: string) => void;
};

/** Throws an `UpgradeError` where nothing was changed. */
export async function upgradeExecutable(executable: string, options: Upgrade): Promise<void> {
  const { from, config, hub, print, note } = options;
  const sha256 = await expectedHash(from, options.sha256, hub);
  if ((await hashOf(executable)) === sha256) return note(`${executable} is that version already.`);
  using staged = await stage(executable, { ...options, sha256 });
  const here = identity();
  const next = await identityOf(staged.path, from);
  const why = misfit({ here, next, allowOlder: options.allowOlder });
  if (why !== null) throw new UpgradeError(`${from} is not taken: ${why}.`);
  print(`verified     ${next.version}, ${next.platform}, SHA-256 ${sha256}`);
  const saved = migrates({ here, next }) ? await saveBefore(here, options) : null;
  if (saved !== null) print(`backup       ${saved}`);
  const server = runningServer(config.data.folder);
  const isHandedOver = server !== null && server.obstacle === null;
  if (isHandedOver) await handOverTo(staged.path, { server, saved, ...options });
  const previous = replace(executable, staged.path);
  print(`installed    ${executable}, the previous version is ${previous}`);
  if (server === null)
    note(`No server uses LOQUAT_DATA ${resolve(config.data.folder)}: the next start is the new version.`);
  else if (!isHandedOver)
    note(`Process ${server.pid} serves with the previous version until it is restarted: ${server.obstacle}.`);
}

type Handover = Upgrade & { server: RunningServer; saved: string | null };

async function handOverTo(path: string, { config, print, server, saved }: Handover): Promise<void> {
  const folder = resolve(config.data.folder);
  try {
    const pid = await handOver(folder, { from: server, executable: path });
    print(`handed over  process ${pid} listens in place of ${server.pid}, which ends with its last request`);
  } catch (error) {
    const goesOn = `Process ${server.pid} goes on with this version, and its file is unchanged.`;
    const restore =
      saved === null
        ? ""
        : ` The database may be migrated: before a restart of this version, restore ${saved}.`;
    throw error instanceof UpgradeError ? new UpgradeError(`${error.message} ${goesOn}${restore}`) : error;
  }
}

/** Returns the backup's path; null where there is nothing to save, or PostgreSQL, which its own tools save. */
async function saveBefore({ version }: Identity, { config, note }: Upgrade): Promise<string | null> {
  if (config.data.url !== null) {
    note("The new version migrates the database. To go back, you need a backup by pg_dump from before.");
    return null;
  }
  if (!hasDatabase(config)) return null;
  const folder = join(config.data.folder, "backups");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, `before-upgrade-of-${version}.tar.gz`);
  await backUp(config, path);
  return path;
}

type Fit = { here: Identity; next: Identity; allowOlder: boolean };

/** Why the next one may not replace this one; null: it may. */
function misfit({ here, next, allowOlder }: Fit): string | null {
  if (next.platform !== here.platform) return `it is for ${next.platform}, and this is ${here.platform}`;
  if (next.flavour !== here.flavour)
    return `it is of the flavour ${next.flavour}, and this is ${here.flavour}: replace the file by hand to change that`;
  const [dialect] = Object.entries(here.schema).find(
    ([name, { when }]) => next.schema[name as keyof Identity["schema"]].when < when,
  ) ?? [null];
  if (dialect !== null)
    return `its schema of ${dialect} is older than that of this version, and a database is never migrated back`;
  if (!allowOlder && Bun.semver.order(next.version, here.version) < 0)
    return `it is version ${next.version}, which is older than ${here.version}: --allow-older takes it all the same`;
  return null;
}

/** Whether the next one migrates the database when it starts. */
const migrates = ({ here, next }: Pick<Fit, "here" | "next">): boolean =>
  Object.entries(here.schema).some(
    ([name, { when }]) => next.schema[name as keyof Identity["schema"]].when > when,
  );

/**
 * Puts a new executable in the place of another one, and keeps that. There is always one of them at the path. Returns the
 * path of the previous file.
 */
function replace(executable: string, by: string): string {
  const previous = `${executable}.previous`;
  rmSync(previous, { force: true });
  if (process.platform === "win32")
    renameSync(executable, previous); // a program that runs can be renamed, not replaced
  else linkSync(executable, previous);
  renameSync(by, executable);
  return previous;
}

const LIST = "SHA256SUMS";
const LIST_MAX_BYTES = 1024 * 1024;

/**
 * The hash that a new executable must have: as the operator says, or from the list SHA256SUMS beside it, as `sha256sum` writes it.
 *
 *   dist/loquat-linux-x64   dist/SHA256SUMS: <64 hexadecimal digits>  loquat-linux-x64
 *
 * `stated`: by the operator, or null. @internal
 */
export async function expectedHash(from: string, stated: string | null, hub: Hub): Promise<string> {
  if (stated !== null) return stated;
  const url = URL.parse(from);
  if (url?.protocol === "http:")
    throw new UpgradeError(
      `${from} is not encrypted, so that anyone on the way may change it. Give --sha256 or use https.`,
    );
  const list = url?.protocol === "https:" ? await download(new URL(LIST, url).href, hub) : read(from);
  const name = basename(url?.protocol === "https:" ? decodeURIComponent(url.pathname) : from);
  const hash = hashIn(list, name);
  if (hash === null) throw new UpgradeError(`${LIST} beside ${from} does not list ${name}. Give --sha256.`);
  return hash;
}

/** Null where the list does not have the name. @internal */
export function hashIn(list: string, name: string): string | null {
  const entries = list.split("\n").map((line) => /^([0-9a-f]{64}) [ *](.+?)\r?$/i.exec(line));
  return entries.find((entry) => entry?.[2] === name)?.[1]?.toLowerCase() ?? null;
}

function read(from: string): string {
  const path = join(dirname(from), LIST);
  if (!existsSync(path)) throw new UpgradeError(`There is no ${LIST} beside ${from}. Give --sha256.`);
  return readFileSync(path, "utf8");
}

async function download(url: string, hub: Hub): Promise<string> {
  const { response } = await get(hub, url, { from: 0, to: LIST_MAX_BYTES - 1 });
  return await response.text();
}
