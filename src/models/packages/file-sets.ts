/** The files that an engine opens: one set for each installed variant of a package, the one to try first in front. */
import { filesOf, type Package, type PackageFile } from "./package.ts";

export type FileSet = { variant: string | null; files: PackageFile[] };

/** At least one. A package of one precision has one set. */
export function fileSetsOf(
  { variants, files }: Pick<Package, "variants" | "files">,
  device: "cpu" | "gpu",
): FileSet[] {
  const preferred = [...new Set([...variants[device], ...variants.cpu, ...variants.gpu])];
  const installed = preferred.filter((variant) => files.some((file) => file.variant === variant));
  return installed.length === 0
    ? [{ variant: null, files }]
    : installed.map((variant) => ({ variant, files: filesOf({ files }, variant) }));
}
