/**
 * The model store: which packages are installed. `store-writer.ts` writes what this file reads.
 *
 *   weights/store/ab/ab12…            the bytes, each once, by their hash
 *   weights/packages/NAME.json        NAME is installed, and this is what: its manifest with every size and hash
 *   weights/packages/NAME@1a2b…/      its files, linked to the bytes; another installation has another folder
 *
 * A package is installed when its manifest is there, which is written last, by one rename.
 */
import { existsSync, lstatSync, readdirSync, type Stats, statSync } from "node:fs";
import { join } from "node:path";
import { type FamilyTask, familyOf } from "../../engine/families/families.ts";
import { isOutOfDescriptors } from "../../errors.ts";
import { folderOf, packagesOf } from "../../natives/store-layout.ts";
import { manifestText, type Package, PackageError, parsePackage } from "../packages/package.ts";
import { readSmallFile } from "../packages/small-file.ts";

export type Installed = { package: Package; folder: string };

export type ModelStore = {
  /** Null where it is not installed, or is damaged. */
  installed(name: string): Installed | null;
  list(): Installed[];
  /** What is wrong with manifests that cannot be used, by the names of their packages. */
  damaged(): ReadonlyMap<string, string>;
};

/** What is installed, here or on the engine nodes of this one; those have no folder here. */
export type InstalledPackages = {
  installed(name: string): Pick<Installed, "package"> | null;
  list(): (Pick<Installed, "package"> & Partial<Installed>)[];
};

/** Whether an engine can run: an embedded family, or an installed package that is one. */
export const runnable = (store: InstalledPackages, embedded: ReadonlySet<string>) => (engine: string) =>
  embedded.has(engine) || store.installed(engine) !== null;

/** `lookAgain`: the next question is answered by what is there then, not by a look of less than a second ago. */
export function openModelStore(weights: string): ModelStore & { lookAgain(): void } {
  let read = { stamp: -1, manifests: "", lookedMs: -LOOK_MS, found: NOTHING };
  const now = () => {
    const stamp = stampOf(weights);
    const lookedMs = performance.now();
    if (stamp === read.stamp && lookedMs - read.lookedMs < LOOK_MS) return read.found;
    const manifests = manifestsStamp(packagesOf(weights));
    const isSame = stamp === read.stamp && manifests === read.manifests;
    const found = isSame ? read.found : readAll(weights);
    read = found === null ? { ...read, lookedMs } : { stamp, manifests, lookedMs, found };
    return read.found;
  };
  return {
    installed: (name) => now().installed.get(name) ?? null,
    list: () => [...now().installed.values()],
    damaged: () => now().damaged,
    lookAgain() {
      read.lookedMs = -LOOK_MS;
    },
  };
}

type Found = { installed: ReadonlyMap<string, Installed>; damaged: ReadonlyMap<string, string> };

const NOTHING: Found = { installed: new Map(), damaged: new Map() };

/** The first package by name of a family that does `task`; null where none is installed. */
export const installedFor = <P extends Pick<Installed, "package">>(
  store: { list(): P[] },
  task: FamilyTask,
): P | null => store.list().find((installed) => familyOf(installed.package.family).task === task) ?? null;

/** Path of a file of an installed package by its role, or null. */
export function fileOf(installed: Installed | null, role: string): string | null {
  const file = installed?.package.files.find((each) => each.role === role);
  return installed && file ? join(installed.folder, file.path) : null;
}

/** When a package was installed, in Unix milliseconds by the clock of the disk; null where it is not. */
export const installedMs = (weights: string, name: string): number | null =>
  statSync(join(packagesOf(weights), `${name}.json`), { throwIfNoEntry: false })?.mtimeMs ?? null;

/** How often manifests are looked at that may have changed in place, as a copy of a store changes them. */
const LOOK_MS = 1000;

/** A text that differs after every change of a manifest in a folder, also in its place. */
export const manifestsStamp = (folder: string): string =>
  namesIn(folder)
    .filter((name) => name.endsWith(".json"))
    .map((name) => {
      const { ino, size, mtimeMs } = statOf(join(folder, name)) ?? {};
      return `${name} ${ino} ${size} ${mtimeMs}\n`;
    })
    .join("");

/** A number that differs after every installation and removal. @internal */
export function stampOf(weights: string): number {
  try {
    return statSync(packagesOf(weights)).mtimeMs;
  } catch {
    return 0; // it does not exist yet, or cannot be read
  }
}

/** Null as long as no descriptor is left to read with: nothing was removed for that. */
function readAll(weights: string): Found | null {
  try {
    return readInstallations(weights);
  } catch (error) {
    if (isOutOfDescriptors(error)) return null;
    throw error;
  }
}

function readInstallations(weights: string): Found {
  const installed = new Map<string, Installed>();
  const damaged = new Map<string, string>();
  for (const file of listed(packagesOf(weights)).filter((name) => name.endsWith(".json"))) {
    const name = file.slice(0, -".json".length);
    const path = join(packagesOf(weights), file);
    try {
      installed.set(name, readInstalled(weights, name, path));
    } catch (error) {
      if (!(error instanceof PackageError) || isOutOfDescriptors(error)) throw error;
      const isThere = lstatSync(path, { throwIfNoEntry: false }) !== undefined; // not removed meanwhile
      if (isThere) damaged.set(name, error.message);
    }
  }
  return { installed, damaged };
}

/** Throws a `PackageError`. */
function readInstalled(weights: string, name: string, path: string): Installed {
  const json = manifestText(path, path);
  const read = parsePackage(path, json, true);
  if (read.name !== name) throw new PackageError(`${path}: describes another package, ${read.name}`);
  const folder = folderOf(weights, name, json);
  if (!existsSync(folder)) throw new PackageError(`${path}: was changed, or ${folder} was removed`);
  return { package: read, folder };
}

/** Null where it does not exist, or cannot be read. */
function statOf(path: string): Stats | null {
  try {
    return statSync(path);
  } catch {
    return null;
  }
}

/** Null where it cannot be read. */
export function textOf(path: string): string | null {
  try {
    return readSmallFile(path);
  } catch {
    return null;
  }
}

/** Empty where it does not exist yet, or cannot be read. */
export function namesIn(folder: string): string[] {
  try {
    return listed(folder);
  } catch {
    return [];
  }
}

/** Throws only where no descriptor is left to read it with. */
function listed(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch (error) {
    if (isOutOfDescriptors(error)) throw error;
    return [];
  }
}
