/** Whether files are those of a package of the catalogue, byte for byte: then nothing about them has to be asked. */
import { statSync } from "node:fs";
import { basename, join } from "node:path";
import { filesOf, type Package, type PackageFile } from "../packages/package.ts";
import { hashOf } from "../store/store-writer.ts";
import { type FileList, filesAt } from "./file-list.ts";

/** The package and the folder of its files; null where they are no such package, or only a part of one. */
export async function packageAt(
  path: string,
  packages: Iterable<Package>,
): Promise<{ package: Package; root: string } | null> {
  const list = filesAt(path);
  for (const pkg of packages) {
    const variants = new Set([...pkg.variants.cpu, ...pkg.variants.gpu]);
    for (const variant of variants.size > 0 ? variants : [null])
      if (await hasAll(list, filesOf(pkg, variant))) return { package: pkg, root: list.root };
  }
  return null;
}

/** Sizes are compared first: hashing reads all of a file. */
async function hasAll(list: FileList, files: PackageFile[]): Promise<boolean> {
  if (files.length === 0) return false; // of another platform
  const found = files.map((file) => ({ ...file, at: placeOf(list, file) }));
  if (found.some(({ at }) => at === null)) return false;
  for (const { at, sha256 } of found) if ((await hashOf(at!)) !== sha256) return false;
  return true;
}

function placeOf({ root, files, chosen }: FileList, { path, bytes, sha256 }: PackageFile): string | null {
  if (bytes === null || sha256 === null) return null;
  const name = files.find((each) => each === path) ?? files.find((each) => basename(each) === basename(path));
  const isOther = chosen?.endsWith(".onnx") && path.endsWith(".onnx") && name !== chosen;
  return name === undefined || isOther || statSync(join(root, name)).size !== bytes ? null : join(root, name);
}
