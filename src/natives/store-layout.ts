/**
 * Where an installed package lies among the weights, for those who cannot read its manifest: confined processes, and what
 * starts them.
 *
 *   weights/added/NAME.json         a manifest that was added, installed or not
 *   weights/packages/NAME.json      what is installed under the name
 *   weights/packages/NAME@1a2b…/    its files; the folder is named after the manifest
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";

export const addedOf = (weights: string) => join(weights, "added");

export const packagesOf = (weights: string) => join(weights, "packages");

/** The folder of an installation, named after its manifest. */
export function folderOf(weights: string, name: string, manifest: string): string {
  const digest = createHash("sha256").update(manifest).digest("hex").slice(0, 12);
  return join(packagesOf(weights), `${name}@${digest}`);
}

/** Null where the package is not installed. */
export function installedFolder(weights: string, name: string): string | null {
  try {
    return folderOf(weights, name, readFileSync(join(packagesOf(weights), `${name}.json`), "utf8"));
  } catch {
    return null;
  }
}
