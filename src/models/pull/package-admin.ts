/** Packages as an operator manages them: which exist, which are installed or being pulled, pulling and removing. */
import { type FamilyTask, familyOf } from "../../engine/families/families.ts";
import { isBuiltIn, type Program } from "../../natives/programs.ts";
import { filesOf, type Package } from "../packages/package.ts";
import { sizeOf } from "../packages/size.ts";
import { removeVariant, variantsIn } from "../store/installed-variants.ts";
import { knownPackages, type Places } from "../store/known-packages.ts";
import { inLock } from "../store/lock.ts";
import { type MeasuredSpeeds, ranOf, readSpeeds } from "../store/measured-speeds.ts";
import { openModelStore } from "../store/model-store.ts";
import { remove } from "../store/store-writer.ts";
import { chooseVariant } from "./pull.ts";
import type { PullQueue } from "./pull-queue.ts";
import { recommended, speedsHere, thisMachine } from "./recommend.ts";

export type PackageState = {
  package: Package;
  task: FamilyTask;
  /** Of its files on this machine; null where only the sources know. */
  sizeBytes: number | null;
  installedVersion: string | null;
  /** Its precisions, the one that suits this machine first; empty where it has one only. */
  variants: { name: string; sizeBytes: number | null; isInstalled: boolean }[];
  isRecommended: boolean;
  /** Seconds of audio for each second of work, measured here when it was installed; null where it was not. */
  measuredSpeed: number | null;
  pull: ReturnType<PullQueue["state"]>;
};

export type PackageAdmin = {
  list(): PackageState[];
  /** Null where no package has that name. */
  find(name: string): PackageState | null;
  /**
   * The package with all its variants, or one of them. False where that is not installed. Throws where another process is
   * changing the store.
   */
  remove(name: string, variant: string | null): Promise<boolean>;
};

type Known = { recommendation: string[]; measured: MeasuredSpeeds };

type AdminDeps = { places: Places; hasGpu: boolean; pulls: PullQueue };

export function openPackageAdmin({ places, hasGpu, pulls }: AdminDeps): PackageAdmin {
  const { weights } = places;
  const store = openModelStore(weights);
  const device = hasGpu ? "gpu" : "cpu";
  const stateOf = (pkg: Package, { recommendation, measured }: Known): PackageState => {
    const installed = store.installed(pkg.name)?.package;
    const variant = chooseVariant(pkg, { device, variant: null });
    return {
      package: pkg,
      task: familyOf(pkg.family).task,
      sizeBytes: sizeOf(installed?.files ?? filesOf(pkg, variant)),
      installedVersion: installed?.version ?? null,
      variants: variantsOf(pkg, { first: variant, installed: variantsIn(installed?.files ?? []) }),
      isRecommended: recommendation.includes(pkg.name),
      measuredSpeed: installed ? measured(ranOf(installed, device)) : null,
      pull: pulls.state(pkg.name),
    };
  };
  const all = () => {
    const packages = [...knownPackages(places, store).values()].filter(
      (pkg) => !isNeedless(pkg) || store.installed(pkg.name) !== null,
    );
    const machine = thisMachine(hasGpu);
    const measured = readSpeeds(weights, hasGpu);
    const recommendation = recommended(packages, machine, speedsHere(packages, measured, machine));
    return packages.map((pkg) => stateOf(pkg, { recommendation, measured }));
  };
  return {
    list: all,
    find: (name) => all().find((state) => state.package.name === name) ?? null,
    remove: (name, variant) =>
      inLock(weights, () =>
        variant === null ? remove(weights, name) : removeVariant(weights, name, variant),
      ),
  };
}

/** A program that is built in need not be pulled. */
const isNeedless = ({ family, name }: Package) => family === "program" && isBuiltIn(name as Program);

function variantsOf(pkg: Package, { first, installed }: { first: string | null; installed: string[] }) {
  if (first === null) return [];
  const names = new Set([first, ...pkg.variants.cpu, ...pkg.variants.gpu]);
  return [...names].map((name) => ({
    name,
    sizeBytes: sizeOf(filesOf(pkg, name)),
    isInstalled: installed.includes(name),
  }));
}
