/** Packages that need another: which is installed beside it, and which package tells speakers apart. */
import { type Family, familyOf } from "../../engine/families/families.ts";
import { type Installed, type InstalledPackages, installedFor, type ModelStore } from "./model-store.ts";

/** The installed package that the worker of a family also reads; null where it reads none, or none is installed. */
export function companionOf(store: Pick<ModelStore, "list">, family: Family): Installed | null {
  const { companion } = familyOf(family);
  return companion === undefined ? null : installedFor(store, companion);
}

/** Whether everything that a family's worker reads is installed. */
export const isComplete = (store: Pick<ModelStore, "list">, family: Family): boolean =>
  familyOf(family).companion === undefined || companionOf(store, family) !== null;

/** The package that tells speakers apart, or null. Those of engine nodes, which have no folder, are complete. */
export function diarizerOf(packages: InstalledPackages): string | null {
  const all = packages.list();
  const here = { list: () => all.filter((each): each is Installed => each.folder !== undefined) };
  const found = all.find(
    ({ package: { family }, folder }) =>
      familyOf(family).task === "diarization" && (folder === undefined || isComplete(here, family)),
  );
  return found?.package.name ?? null;
}
