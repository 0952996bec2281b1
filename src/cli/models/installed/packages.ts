/** What the subcommands of `loquat models` share: finding packages, known or installed, and the catalogue. */
import { readConfig } from "../../../config/config.ts";
import { installedFamilies } from "../../../engine/families/installed.ts";
import type { Catalogue } from "../../../models/catalogue.ts";
import { fileSetsOf } from "../../../models/packages/file-sets.ts";
import type { Package } from "../../../models/packages/package.ts";
import { successorOf } from "../../../models/packages/retired.ts";
import { catalogueReader } from "../../../models/store/installed-catalogue.ts";
import { knownPackages } from "../../../models/store/known-packages.ts";
import { type Installed, openModelStore } from "../../../models/store/model-store.ts";
import type { UpstreamSet } from "../../../upstreams/upstreams.ts";
import { knownUpstreams } from "../../base/known-upstreams.ts";
import { note, UsageError } from "../../base/output.ts";

/** A package by its name in the catalogue, installed or not. */
export function knownPackage(name: string): Package {
  const { models } = readConfig();
  const known = knownPackages(models, openModelStore(models.weights)).get(name);
  const successor = successorOf(name);
  if (!known) refuseDamaged(name);
  if (!known && successor)
    throw new UsageError(`The package ${name} is no longer offered. Its successor is ${successor}.`);
  if (!known) throw new UsageError(`There is no package ${name}. "loquat models list" lists them.`);
  return known;
}

function refuseDamaged(name: string): void {
  for (const damaged of damagedPackages([name])) throw new UsageError(damagedText(damaged));
}

type Damaged = [name: string, fault: string];

/** The damaged packages with these names; all of them for no names. */
export function damagedPackages(names: string[]): Damaged[] {
  const damaged = [...openModelStore(readConfig().models.weights).damaged()];
  return names.length === 0 ? damaged : damaged.filter(([name]) => names.includes(name));
}

/** What is wrong with a damaged package, and what to do. */
export const damagedText = ([name, fault]: Damaged): string =>
  `${name} is damaged: ${fault}. Run "loquat models rm ${name}" and install it again.`;

/** The installed packages with these names; all of them for no names. */
export function installedPackages(names: string[]): Installed[] {
  const store = openModelStore(readConfig().models.weights);
  if (names.length === 0) {
    const all = store.list();
    if (all.length === 0 && store.damaged().size === 0)
      note('No package is installed. "loquat models list" lists those that "loquat models pull" installs.');
    return all;
  }
  return names.map((name) => {
    const installed = store.installed(name);
    if (!installed) refuseDamaged(name);
    if (!installed) throw new UsageError(`${name} is not installed.`);
    return installed;
  });
}

/** An installed package with the files of one of its variants; null where it has one precision only. */
export type OneVariant = { variant: string | null; installed: Installed };

export const eachVariant = ({ package: pkg, folder }: Installed): OneVariant[] =>
  fileSetsOf(pkg, "cpu").map(({ variant, files }) => ({
    variant,
    installed: { folder, package: { ...pkg, files } },
  }));

/** The models and voices that can run here, or at an upstream of the folder or the database. */
export async function openCatalogue(upstreams?: UpstreamSet): Promise<Catalogue> {
  const { models } = readConfig();
  const elsewhere = upstreams ?? (await knownUpstreams());
  const store = openModelStore(models.weights);
  return catalogueReader(models, { store, embedded: installedFamilies, elsewhere })();
}
