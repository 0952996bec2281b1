/** Writes what was measured into the manifests of packages, which docs/models.md and the dashboard show. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Measurement, Package } from "../../src/models/packages/package.ts";

/** Measurements of other precisions stay, in the order of the manifest's variants. */
export function saveMeasurement(folder: string, pkg: Package, measured: Measurement): void {
  const path = join(folder, "packages", `${pkg.name}.json`);
  const { measured: before = [], ...manifest }: Package = JSON.parse(readFileSync(path, "utf8"));
  const others = before.filter(({ variant }) => variant !== measured.variant);
  const order = ({ variant }: Measurement) => pkg.variants.cpu.indexOf(variant ?? "");
  const all = [...others, measured].toSorted((a, b) => order(a) - order(b));
  const written = { ...manifest, measured: all };
  writeFileSync(path, `${JSON.stringify(written, null, 2)}\n`);
}
