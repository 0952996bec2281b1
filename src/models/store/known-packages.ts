/**
 * The packages that an installation knows: of the catalogue's folder; of manifests that were added, which lie among the
 * weights so that a new version of the server keeps them; and of an operator's files, which are only installed.
 *
 *   models/packages/NAME.json     the catalogue; earlier versions wrote what was added there too
 *   weights/added/NAME.json       a manifest that was added, installed or not
 */
import { join } from "node:path";
import { replaceJson } from "../../natives/replace-file.ts";
import { addedOf } from "../../natives/store-layout.ts";
import { type Package, PackageError, readPackage, readPackages } from "../packages/package.ts";
import { type InstalledPackages, namesIn } from "./model-store.ts";

/** `folder`: of the catalogue. */
export type Places = { folder: string; weights: string };

/**
 * Those that can be pulled, by name; each call sees what was added by then. A package of the catalogue goes before an added
 * one of the same name.
 */
export function openPullable({ folder, weights }: Places): () => Map<string, Package> {
  let shipped: Map<string, Package> | null = null;
  return () => {
    shipped ??= readPackages(folder);
    return new Map([...addedPackages(weights), ...shipped]);
  };
}

export const pullablePackages = (places: Places): Map<string, Package> => openPullable(places)();

/** Without those that cannot be read, which a warning names once. */
function addedPackages(weights: string): [name: string, Package][] {
  const names = namesIn(addedOf(weights)).filter((name) => name.endsWith(".json"));
  return names.flatMap((name): [string, Package][] => {
    try {
      const read = readPackage(join(addedOf(weights), name));
      return [[read.name, read]];
    } catch (error) {
      if (!(error instanceof PackageError)) throw error;
      warnOnce(`${join(addedOf(weights), name)} is ignored: ${error.message}`);
      return [];
    }
  });
}

const warned = new Set<string>();

function warnOnce(text: string): void {
  if (warned.has(text)) return;
  warned.add(text);
  process.emitWarning(text);
}

/** These, and those that are installed from files of an operator. */
export function knownPackages(places: Places, store: Pick<InstalledPackages, "list">): Map<string, Package> {
  const installed = store.list().map(({ package: pkg }) => [pkg.name, pkg] as const);
  const known = new Map([...installed, ...pullablePackages(places)]);
  return new Map([...known].toSorted(([a], [b]) => a.localeCompare(b)));
}

/** Adds a manifest, by one rename: running servers look for it. */
export function keepManifest({ weights }: Places, pkg: Package): void {
  replaceJson(join(addedOf(weights), `${pkg.name}.json`), pkg);
}
