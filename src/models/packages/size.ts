/** Sizes of packages: of a list of files, and as text. */
import type { PackageFile } from "./package.ts";

/** Null where the size of a file is unknown before it is downloaded. */
export function sizeOf(files: readonly Pick<PackageFile, "bytes">[]): number | null {
  const sizes = files.flatMap(({ bytes }) => bytes ?? []);
  return sizes.length === files.length ? sizes.reduce((sum, bytes) => sum + bytes, 0) : null;
}

/** 840 kB, 2.4 MB, 163 MB, 1.1 GB: decimal units, as hubs and disks count. */
export function byteText(bytes: number): string {
  if (bytes < 999_500) return `${rounded(bytes / 1e3)} kB`;
  return bytes < 999.5e6 ? `${rounded(bytes / 1e6)} MB` : `${rounded(bytes / 1e9)} GB`;
}

const rounded = (value: number) => (value < 10 ? Math.ceil(value * 10) / 10 : Math.round(value));

export const sizeText = (bytes: number | null): string => (bytes === null ? "unknown" : byteText(bytes));

/** Of several sizes; those that are unknown may add to it. */
export function totalText(sizes: readonly (number | null)[]): string {
  const known = sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0);
  if (!sizes.includes(null)) return byteText(known);
  return known === 0 ? "size unknown" : `at least ${byteText(known)}`;
}
