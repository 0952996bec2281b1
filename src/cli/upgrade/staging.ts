/**
 * Brings a new executable beside the one that it is to replace, so that a rename can put it in its place, and looks at it:
 *
 *   path or address ──> loquat.next-PID ──hash──> runs `version --json` ──> its identity
 */
import { chmodSync, copyFileSync, existsSync, rmSync } from "node:fs";
import { download as downloadFile } from "../../models/pull/download.ts";
import { type Hub, probe } from "../../models/pull/hub.ts";
import { hashOf } from "../../models/store/store-writer.ts";
import type { Identity } from "./identity.ts";
import { UpgradeError } from "./upgrade-error.ts";

type Source = {
  /** A path, or an http or https address. */
  from: string;
  sha256: string;
  hub: Hub;
  progress: (bytes: number, total: number) => void;
};

export type Staged = Disposable & { path: string };

/** The file is removed when it is disposed of, unless it was moved. */
export async function stage(executable: string, source: Source): Promise<Staged> {
  const path = `${executable}.next-${process.pid}`;
  const remove = () => {
    rmSync(path, { force: true });
    rmSync(`${path}.note`, { force: true });
  };
  try {
    const sha256 = await bring(path, source);
    if (sha256 !== source.sha256)
      throw new UpgradeError(`${source.from} has the hash ${sha256}, and not ${source.sha256}.`);
    rmSync(`${path}.note`, { force: true });
    chmodSync(path, 0o755);
    return { path, [Symbol.dispose]: remove };
  } catch (error) {
    remove();
    const { code } = error as { code?: string };
    if (code === "EACCES" || code === "EROFS" || code === "EPERM")
      throw new UpgradeError(`${path} cannot be written. Run the command as the owner of that folder.`);
    throw error;
  }
}

/** Returns the hash of what was brought. */
async function bring(to: string, { from, sha256, hub, progress }: Source): Promise<string> {
  if (!/^https?:\/\//.test(from)) {
    if (!existsSync(from)) throw new UpgradeError(`There is no file ${from}.`);
    copyFileSync(from, to);
    return hashOf(to);
  }
  const { bytes } = await probe(hub, from);
  if (bytes === null) throw new UpgradeError(`${from} does not say how large it is.`);
  let arrived = 0;
  const count = (more: number) => {
    arrived += more;
    progress(arrived, bytes);
  };
  return downloadFile(hub, from, { to, bytes, sha256, etag: null, progress: count });
}

const ANSWER_WITHIN_MS = 60_000;

/** Runs it: only after its hash was compared. */
export async function identityOf(path: string, name: string): Promise<Identity> {
  const refuse = (why: string) => new UpgradeError(`${name} cannot be used: ${why}.`);
  let out: string;
  try {
    const child = Bun.spawn([path, "version", "--json"], {
      stdin: "ignore",
      stderr: "ignore",
      timeout: ANSWER_WITHIN_MS,
    });
    out = await child.stdout.text();
    if ((await child.exited) !== 0) throw new Error("it does not say which version it is");
  } catch (error) {
    throw refuse((error as Error).message);
  }
  try {
    const { version, flavour, platform, schema } = JSON.parse(out) as Identity;
    if ([schema.sqlite.when, schema.postgres.when].every(Number.isFinite))
      return { version, flavour, platform, schema };
  } catch {
    // it said something else
  }
  throw refuse("it does not say which version it is");
}
