/** Sizes of packages: of a list of files, and as text. */
import { byteText } from "../../byte-text.ts";
import type { PackageFile } from "./package.ts";

/** Null where the size of a file is unknown before it is downloaded. */
export function sizeOf(files: readonly Pick<PackageFile, "bytes">[]): number | null {
  const sizes = files.flatMap(({ bytes }) => bytes ?? []);
  return sizes.length === files.length ? sizes.reduce((sum, bytes) => sum + bytes, 0) : null;
}

export const sizeText = (bytes: number | null): string => (bytes === null ? "unknown" : byteText(bytes));

/** Of several sizes; those that are unknown may add to it. */
export function totalText(sizes: readonly (number | null)[]): string {
  const known = sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0);
  if (!sizes.includes(null)) return byteText(known);
  return known === 0 ? "size unknown" : `at least ${byteText(known)}`;
}
