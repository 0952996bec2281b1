/** Which packages a list of names stands for. */
import { filesOf, type Package, PackageError } from "../packages/package.ts";
import { successorOf } from "../packages/retired.ts";
import { sizeOf } from "../packages/size.ts";
import { variantFor } from "../packages/variants.ts";
import type { ModelStore } from "../store/model-store.ts";
import { type Machine, recommended, type SpeedOf } from "./recommend.ts";

type Known = {
  packages: ReadonlyMap<string, Package>;
  machine: Machine;
  store: ModelStore;
  speedOf: SpeedOf;
};

/**
 * `recommended` stands for what suits the machine and is not installed in its current version, a package that the
 * catalogue no longer has for the installed one, else for its successor. Each package once.
 */
export function selectPackages(names: readonly string[], known: Known): Package[] {
  const { packages, machine, store, speedOf } = known;
  const missing = () =>
    recommended(packages.values(), machine, speedOf).filter((name) => !isCurrent(packages.get(name)!, store));
  const find = (name: string) =>
    packages.get(name) ?? store.installed(name)?.package ?? packages.get(successorOf(name) ?? "");
  const selected = names.flatMap((name) => (name === "recommended" ? missing() : [name]));
  const found = selected.map((name) => {
    const pkg = find(name);
    if (!pkg) throw new PackageError(`There is no package ${name}. "loquat models list" lists them.`);
    return pkg;
  });
  return [...new Map(found.map((pkg) => [pkg.name, pkg])).values()];
}

export const isCurrent = ({ name, version }: Package, store: ModelStore): boolean =>
  store.installed(name)?.package.version === version;

/** The bytes of one installation; null where the manifest does not say. `variant` null: the machine's first. */
export const downloadSize = (pkg: Package, { gpu }: Pick<Machine, "gpu">, variant: string | null = null) =>
  sizeOf(filesOf(pkg, variant ?? variantFor(pkg, gpu ? "gpu" : "cpu")));
