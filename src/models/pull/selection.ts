/** Which packages a list of names stands for. */
import { filesOf, type Package, PackageError } from "../package.ts";
import { sizeOf } from "../size.ts";
import type { ModelStore } from "../store/model-store.ts";
import { variantFor } from "../variants.ts";
import { type Machine, recommended } from "./recommend.ts";

type Known = { packages: ReadonlyMap<string, Package>; machine: Machine; store: ModelStore };

/** `recommended` stands for what suits the machine and is not installed in its current version. Each package once. */
export function selectPackages(names: readonly string[], known: Known): Package[] {
  const { packages, machine, store } = known;
  const missing = () =>
    recommended(packages.values(), machine).filter((name) => !isCurrent(packages.get(name)!, store));
  const wanted = names.flatMap((name) => (name === "recommended" ? missing() : [name]));
  return [...new Set(wanted)].map((name) => {
    const own = packages.get(name);
    if (!own) throw new PackageError(`There is no package ${name}. "loquat models list" lists them.`);
    return own;
  });
}

export const isCurrent = ({ name, version }: Package, store: ModelStore): boolean =>
  store.installed(name)?.package.version === version;

/** The bytes of one installation; null where the manifest does not say. `variant` null: the machine's first. */
export const downloadSize = (own: Package, { gpu }: Pick<Machine, "gpu">, variant: string | null = null) =>
  sizeOf(filesOf(own, variant ?? variantFor(own, gpu ? "gpu" : "cpu")));
