/**
 * Several precisions of one package beside each other: one manifest lists the files of all that are installed. Each is tried
 * first: its files are linked into a folder of their own and run there, before they take the place of others.
 *
 *   content in the store ──link──> incoming/try-NAME/ ──run once──> installed
 *   installed q8, pulled fp32, the same version  ──>  one installation of both
 *   another version                              ──>  that one alone: files of two versions do not belong together
 */
import { rmSync } from "node:fs";
import type { Package, PackageFile } from "../packages/package.ts";
import { incomingOf } from "./incoming.ts";
import { type Installed, openModelStore } from "./model-store.ts";
import { install, keepBlob, type Locked, linkFiles, remove, removeUnused } from "./store-writer.ts";

/** In the order of the files; none where the package has one precision only. */
export const variantsIn = (files: readonly Pick<PackageFile, "variant">[]): string[] => [
  ...new Set(files.flatMap(({ variant }) => variant ?? [])),
];

/** Whether it was made of the files that were downloaded, such as the graph of durations. */
const isDerived = ({ path }: PackageFile) => path.startsWith("derived/");

/** The installed files, where what was made of the only variant belongs to it. */
function markedFiles({ files }: Pick<Package, "files">): PackageFile[] {
  const [only, ...others] = variantsIn(files);
  if (only === undefined || others.length > 0) return files;
  return files.map((file) => (isDerived(file) && !file.variant ? { ...file, variant: only } : file));
}

/** Whether a file that every variant has is another one: then the installations do not belong together. */
function differs(before: Package, { files }: Locked): boolean {
  const common = new Map(before.files.flatMap((file) => (file.variant ? [] : [[file.path, file.sha256]])));
  return files.some(
    (file) => !isDerived(file) && common.has(file.path) && common.get(file.path) !== file.sha256,
  );
}

/** `locked` and the other installed variants of its version. */
function besideOthers(weights: string, locked: Locked): Locked {
  const variants = variantsIn(locked.files);
  const before = openModelStore(weights).installed(locked.name)?.package;
  if (variants.length === 0 || before?.version !== locked.version || differs(before, locked)) return locked;
  const kept = markedFiles(before).filter(
    ({ variant }) => variant !== undefined && !variants.includes(variant),
  );
  const paths = kept.map(({ path }) => path);
  const added = markedFiles(locked).filter(({ path }) => !paths.includes(path));
  return { ...locked, files: [...added, ...kept] as Locked["files"] };
}

/** Installs what may be one variant, and leaves the others installed. @internal */
export const addInstallation = (weights: string, locked: Locked): void =>
  install(weights, besideOthers(weights, locked));

/** Throws where the files do not run. What it returns is called once they are installed. */
export type TryOut = (staged: Installed) => Promise<() => void>;

export async function installTried(weights: string, locked: Locked, tryOut: TryOut): Promise<void> {
  const folder = incomingOf(weights, `try-${locked.name}`);
  let done: () => void;
  try {
    linkFiles(weights, locked, folder);
    done = await tryOut({ package: locked, folder });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  addInstallation(weights, locked);
  done();
}

/** Of files at hand, which leave nothing behind where they do not run. */
export async function installKept(
  weights: string,
  locked: Locked,
  { files, tryOut }: { files: { from: string; sha256: string }[]; tryOut: TryOut },
): Promise<void> {
  try {
    for (const { from, sha256 } of files) keepBlob(weights, from, sha256);
    await installTried(weights, locked, tryOut);
  } catch (error) {
    removeUnused(weights);
    throw error;
  }
}

/** Removes one variant, and with the last of them the package. False where it is not installed. */
export function removeVariant(weights: string, name: string, variant: string): boolean {
  const before = openModelStore(weights).installed(name)?.package;
  const variants = variantsIn(before?.files ?? []);
  if (!before || !variants.includes(variant)) return false;
  if (variants.length === 1) return remove(weights, name);
  const files = before.files.filter((file) => file.variant !== variant);
  install(weights, { ...before, files } as Locked);
  return true;
}
