/**
 * Installs an operator's files: copied into the model store, tried there, and only then installed. Whatever fails, what was
 * installed before is unchanged.
 *
 *   files ──copy──> incoming/add-NAME/ ──> store ──compared, run once──> installed
 */
import { constants, rmSync, statSync } from "node:fs";
import { copyFile, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Package, parsePackage } from "../packages/package.ts";
import { requireSpace } from "../store/disk-space.ts";
import { incomingOf } from "../store/incoming.ts";
import { installKept, type TryOut } from "../store/installed-variants.ts";
import { inLock } from "../store/lock.ts";
import { openModelStore } from "../store/model-store.ts";
import { ModelStoreError } from "../store/store-error.ts";
import { hashOf, type Locked, type LockedFile } from "../store/store-writer.ts";
import type { LocalFile } from "./local-model.ts";

type Installing = { weights: string; tryOut: TryOut };

export async function installLocal(
  pkg: Omit<Package, "files">,
  files: readonly LocalFile[],
  { weights, tryOut }: Installing,
): Promise<Locked> {
  return inLock(weights, async () => {
    if (openModelStore(weights).installed(pkg.name))
      throw new ModelStoreError(
        `${pkg.name} is installed. Remove it first with "loquat models rm ${pkg.name}", or choose another --name.`,
      );
    requireSpace(
      weights,
      files.reduce((sum, file) => sum + bytesOf(file), 0),
    );
    const folder = incomingOf(weights, `add-${pkg.name}`);
    try {
      const locked = await copied(pkg, files, folder);
      const kept = locked.files.map(({ path, sha256 }) => ({ from: join(folder, path), sha256 }));
      await installKept(weights, locked, { files: kept, tryOut });
      return locked;
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
}

const bytesOf = (file: LocalFile): number => ("bytes" in file ? file.bytes.length : statSync(file.from).size);

/** Copies share their blocks with the originals where the disk can; the originals may change later. */
async function copied(
  pkg: Omit<Package, "files">,
  files: readonly LocalFile[],
  folder: string,
): Promise<Locked> {
  const locked: LockedFile[] = [];
  for (const file of files) {
    const path = file.path.replace(/[^A-Za-z0-9._/@+-]/g, "-");
    const to = join(folder, path);
    await mkdir(dirname(to), { recursive: true });
    if ("bytes" in file) await writeFile(to, file.bytes);
    else await copyFile(file.from, to, constants.COPYFILE_FICLONE);
    locked.push({ role: file.role, path, bytes: statSync(to).size, sha256: await hashOf(to) });
  }
  return parsePackage(pkg.name, JSON.stringify({ ...pkg, files: locked }), true) as Locked;
}
