/** The catalogue of a node: manifests and packages of a folder, what is installed of them, and upstreams. */
import { buildCatalogue, type Catalogue } from "../catalogue.ts";
import { type Manifest, readManifests } from "../manifest.ts";
import type { Package } from "../packages/package.ts";
import { diarizerOf } from "./companions.ts";
import { knownPackages, openPullable, type Places } from "./known-packages.ts";
import { type InstalledPackages, runnable } from "./model-store.ts";

/** What runs elsewhere: engines that are always there, and the versions of models that name them. */
export type Elsewhere = { has(engine: string): boolean; manifests(shipped: readonly Manifest[]): Manifest[] };

const NOTHING: Elsewhere = { has: () => false, manifests: () => [] };

/** `embedded`: engines without a package. */
type Runnable = { store: InstalledPackages; embedded: () => ReadonlySet<string>; elsewhere?: Elsewhere };

/** What is shipped is read once; each call sees what is installed, and which packages were added, at that time. */
export function catalogueReader(
  places: Places,
  { store, embedded, elsewhere = NOTHING }: Runnable,
): () => Catalogue {
  const pullable = openPullable(places);
  const manifests = readManifests(places.folder, knownPackages(places, store).keys());
  return () => {
    const runs = runnable(store, embedded());
    const catalogue = buildCatalogue(
      [...manifests, ...elsewhere.manifests(manifests)],
      (engine) => runs(engine) || elsewhere.has(engine),
      offering(pullable(), store),
    );
    return { ...catalogue, diarizer: diarizerOf(store) };
  };
}

/** Known packages; an installed one as it was installed, unless only the newer description says what it offers. */
function offering(known: ReadonlyMap<string, Package>, store: InstalledPackages): Package[] {
  const packages = new Map(known);
  for (const { package: installed } of store.list())
    if (installed.voices || installed.recognition || !packages.has(installed.name))
      packages.set(installed.name, installed);
  return [...packages.values()];
}
