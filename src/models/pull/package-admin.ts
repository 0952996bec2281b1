/** Packages as an operator manages them: which exist, which are installed or being pulled, pulling and removing. */
import { filesOf, type Package, readPackages } from "../package.ts";
import { sizeOf } from "../size.ts";
import { inLock } from "../store/lock.ts";
import { openModelStore } from "../store/model-store.ts";
import { remove } from "../store/store-writer.ts";
import { chooseVariant } from "./pull.ts";
import type { PullQueue } from "./pull-queue.ts";
import { recommended, thisMachine } from "./recommend.ts";

export type PackageState = {
  package: Package;
  /** Of its files on this machine; null where only the sources know. */
  sizeBytes: number | null;
  installedVersion: string | null;
  isRecommended: boolean;
  pull: ReturnType<PullQueue["state"]>;
};

export type PackageAdmin = {
  list(): PackageState[];
  /** Null where no package has that name. */
  find(name: string): PackageState | null;
  /** False where the package is not installed. Throws where another process is changing the store. */
  remove(name: string): Promise<boolean>;
};

type AdminDeps = { manifests: string; weights: string; hasGpu: boolean; pulls: PullQueue };

export function openPackageAdmin({ manifests, weights, hasGpu, pulls }: AdminDeps): PackageAdmin {
  const store = openModelStore(weights);
  const stateOf = (own: Package, recommendation: string[]): PackageState => {
    const installed = store.installed(own.name)?.package;
    const variant = chooseVariant(own, { device: hasGpu ? "gpu" : "cpu", variant: null });
    return {
      package: own,
      sizeBytes: sizeOf(installed?.files ?? filesOf(own, variant)),
      installedVersion: installed?.version ?? null,
      isRecommended: recommendation.includes(own.name),
      pull: pulls.state(own.name),
    };
  };
  const all = () => {
    const packages = [...readPackages(manifests).values()];
    const recommendation = recommended(packages, thisMachine(hasGpu));
    return packages.map((own) => stateOf(own, recommendation));
  };
  return {
    list: all,
    find: (name) => all().find((state) => state.package.name === name) ?? null,
    remove: (name) => inLock(weights, () => remove(weights, name)),
  };
}
