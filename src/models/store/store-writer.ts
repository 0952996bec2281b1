/**
 * Writes the model store: content by its hash, and an installation as a manifest that is written when everything it names
 * is there. A failure leaves what was installed before unchanged.
 *
 *   incoming file ──hash matches──> store/ab/ab12… ──link──> packages/NAME@1a2b…/path ──> packages/NAME.json (rename)
 */
import { createHash, randomBytes } from "node:crypto";
import {
  createReadStream,
  existsSync,
  linkSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { folderOf, packagesOf } from "../../natives/store-layout.ts";
import type { Package } from "../packages/package.ts";
import { incomingOf } from "./incoming.ts";
import { forgetMeasured } from "./measured-speeds.ts";
import { namesIn, openModelStore } from "./model-store.ts";

/** A package whose files all have a known size and hash. */
export type LockedFile = Package["files"][number] & { bytes: number; sha256: string };
export type Locked = Omit<Package, "files"> & { files: LockedFile[] };

export const isLocked = (one: Package): one is Locked =>
  one.files.every(({ bytes, sha256 }) => bytes !== null && sha256 !== null);

export const blobOf = (weights: string, sha256: string) => join(weights, "store", sha256.slice(0, 2), sha256);

export async function hashOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  return hash.digest("hex");
}

/** Moves a file into the store, under its hash. */
export function keepBlob(weights: string, path: string, sha256: string): void {
  const blob = blobOf(weights, sha256);
  mkdirSync(dirname(blob), { recursive: true });
  renameSync(path, blob);
}

/** Installs a package whose content is in the store, and removes what was installed under its name before. */
export function install(weights: string, locked: Locked): void {
  const manifest = `${JSON.stringify(locked, null, 2)}\n`;
  const folder = folderOf(weights, locked.name, manifest);
  if (!existsSync(folder)) linkAll(weights, locked, folder);
  mkdirSync(packagesOf(weights), { recursive: true });
  const temporary = incomingOf(weights, `${locked.name}-${randomBytes(6).toString("hex")}.json`);
  writeFileSync(temporary, manifest);
  renameSync(temporary, join(packagesOf(weights), `${locked.name}.json`));
  removeUnused(weights);
}

function linkAll(weights: string, locked: Locked, folder: string): void {
  const building = `${folder}.${randomBytes(6).toString("hex")}`;
  linkFiles(weights, locked, building);
  renameSync(building, folder);
}

/** Makes a folder of the files of an installation, whose content is in the store. */
export function linkFiles(weights: string, { files }: Locked, folder: string): void {
  for (const { path, sha256 } of files) {
    const target = join(folder, path);
    mkdirSync(dirname(target), { recursive: true });
    linkSync(blobOf(weights, sha256), target);
  }
}

/** False where it was not installed. */
export function remove(weights: string, name: string): boolean {
  const manifest = `${name}.json`;
  if (!namesIn(packagesOf(weights)).includes(manifest)) return false;
  rmSync(join(packagesOf(weights), manifest), { recursive: true }); // also a folder in its place
  forgetMeasured(weights, name);
  removeUnused(weights);
  return true;
}

/** Removes what no installation uses any more: folders, then content without another link. */
export function removeUnused(weights: string): void {
  const packages = packagesOf(weights);
  const names = namesIn(packages);
  const store = openModelStore(weights);
  for (const name of names.filter((each) => !each.endsWith(".json"))) {
    const path = join(packages, name);
    const owner = name.slice(0, name.lastIndexOf("@"));
    const installed = store.installed(owner);
    // all folders of a damaged manifest stay: it may be restored
    const isUsed = names.includes(`${owner}.json`) && (installed === null || installed.folder === path);
    if (!isUsed) rmSync(path, { recursive: true, force: true });
  }
  const content = join(weights, "store");
  for (const beginning of namesIn(content))
    for (const blob of namesIn(join(content, beginning))) {
      const path = join(content, beginning, blob);
      if (statSync(path, { throwIfNoEntry: false })?.nlink === 1) rmSync(path);
    }
}
