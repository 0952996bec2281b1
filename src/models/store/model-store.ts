/**
 * The model store: which packages are installed. `store-writer.ts` writes what this file reads.
 *
 *   weights/store/ab/ab12…            the bytes, each once, by their hash
 *   weights/packages/NAME.json        NAME is installed, and this is what: its manifest with every size and hash
 *   weights/packages/NAME@1a2b…/      its files, linked to the bytes; another installation has another folder
 *
 * A package is installed when its manifest is there, which is written last, by one rename.
 */
import { readdirSync, readFileSync, type Stats, statSync } from "node:fs";
import { join } from "node:path";
import { type FamilyTask, familyOf } from "../../engine/families/families.ts";
import { folderOf, packagesOf } from "../../natives/store-layout.ts";
import { type Package, PackageError, parsePackage } from "../packages/package.ts";

export type Installed = { package: Package; folder: string };

export type ModelStore = {
  /** Null where it is not installed, or its manifest is damaged or cannot be read. */
  installed(name: string): Installed | null;
  list(): Installed[];
};

/** What is installed, here or on the engine nodes of this one; those have no folder here. */
export type InstalledPackages = {
  installed(name: string): Pick<Installed, "package"> | null;
  list(): (Pick<Installed, "package"> & Partial<Installed>)[];
};

/** Whether an engine can run: an embedded family, or an installed package that is one. */
export const runnable = (store: InstalledPackages, embedded: ReadonlySet<string>) => (engine: string) =>
  embedded.has(engine) || store.installed(engine) !== null;

export function openModelStore(weights: string): ModelStore {
  let read = { stamp: -1, manifests: "", lookedMs: -LOOK_MS, byName: new Map<string, Installed>() };
  const now = () => {
    const stamp = stampOf(weights);
    const lookedMs = performance.now();
    if (stamp === read.stamp && lookedMs - read.lookedMs < LOOK_MS) return read.byName;
    const manifests = manifestsStamp(packagesOf(weights));
    const isSame = stamp === read.stamp && manifests === read.manifests;
    read = { stamp, manifests, lookedMs, byName: isSame ? read.byName : readAll(weights) };
    return read.byName;
  };
  return { installed: (name) => now().get(name) ?? null, list: () => [...now().values()] };
}

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

function readAll(weights: string): Map<string, Installed> {
  const packages = new Map<string, Installed>();
  for (const file of namesIn(packagesOf(weights)).filter((name) => name.endsWith(".json"))) {
    const installed = readInstalled(weights, file);
    if (installed) packages.set(installed.package.name, installed);
  }
  return packages;
}

function readInstalled(weights: string, file: string): Installed | null {
  const json = textOf(join(packagesOf(weights), file));
  if (json === null) return null;
  try {
    const read = parsePackage(file, json, true);
    const isNamed = `${read.name}.json` === file;
    return isNamed ? { package: read, folder: folderOf(weights, read.name, json) } : null;
  } catch (error) {
    if (error instanceof PackageError) return null;
    throw error;
  }
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
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}

export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return []; // it does not exist yet
  }
}
