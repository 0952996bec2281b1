/** The catalogue of a node: manifests and packages of a folder, and what is installed of them. */
import { buildCatalogue, type Catalogue } from "../catalogue.ts";
import { readManifests } from "../manifest.ts";
import { type Package, readPackages } from "../packages/package.ts";
import { type InstalledPackages, runnable } from "./model-store.ts";

/** The folder is read once; each call sees what is installed at that time. `embedded`: engines without a package. */
export function catalogueReader(
  folder: string,
  store: InstalledPackages,
  embedded: () => ReadonlySet<string>,
): () => Catalogue {
  const known = readPackages(folder);
  const manifests = readManifests(folder, known.keys());
  return () => buildCatalogue(manifests, runnable(store, embedded()), offering(known, store));
}

/** Known packages; an installed one as it was installed, unless only the newer description says what it offers. */
function offering(known: ReadonlyMap<string, Package>, store: InstalledPackages): Package[] {
  const packages = new Map(known);
  for (const { package: installed } of store.list())
    if (installed.voices || installed.recognition || !packages.has(installed.name))
      packages.set(installed.name, installed);
  return [...packages.values()];
}
