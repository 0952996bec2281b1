/**
 * The packages that an installation knows: of the catalogue's folder; of manifests that were added, which lie among the
 * weights so that a new version of the server keeps them; and of an operator's files, which are only installed.
 *
 *   models/packages/NAME.json     the catalogue; earlier versions wrote what was added there too
 *   weights/added/NAME.json       a manifest that was added, installed or not
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Package, readPackage, readPackages } from "../packages/package.ts";
import { type InstalledPackages, namesIn } from "./model-store.ts";

/** `folder`: of the catalogue. */
export type Places = { folder: string; weights: string };

const addedIn = (weights: string) => join(weights, "added");

/** Those that can be pulled, by name. A package of the catalogue goes before an added one of the same name. */
export function pullablePackages({ folder, weights }: Places): Map<string, Package> {
  const names = namesIn(addedIn(weights)).filter((name) => name.endsWith(".json"));
  const added = names.map((name) => readPackage(join(addedIn(weights), name)));
  return new Map([...added.map((pkg) => [pkg.name, pkg] as const), ...readPackages(folder)]);
}

/** These, and those that are installed from files of an operator. */
export function knownPackages(places: Places, store: Pick<InstalledPackages, "list">): Map<string, Package> {
  const installed = store.list().map(({ package: pkg }) => [pkg.name, pkg] as const);
  const known = new Map([...installed, ...pullablePackages(places)]);
  return new Map([...known].toSorted(([a], [b]) => a.localeCompare(b)));
}

/** Adds a manifest. */
export function keepManifest({ weights }: Places, pkg: Package): void {
  mkdirSync(addedIn(weights), { recursive: true });
  writeFileSync(join(addedIn(weights), `${pkg.name}.json`), `${JSON.stringify(pkg, null, 2)}\n`);
}
