/**
 * The packages to pull for a machine, as the packages themselves say: for each purpose the best that its cores and
 * memory run well.
 */
import { availableParallelism, totalmem } from "node:os";
import { filesOf, type Package } from "../packages/package.ts";
import { sizeOf } from "../packages/size.ts";
import { variantFor } from "../packages/variants.ts";

export type Machine = { cores: number; memoryBytes: number; gpu: boolean };

export const thisMachine = (gpu: boolean): Machine => ({
  cores: availableParallelism(),
  memoryBytes: totalmem(),
  gpu,
});

const GIGABYTE = 2 ** 30;

/** Names of packages, the smallest download first: each works as soon as it is installed. */
export function recommended(packages: Iterable<Package>, machine: Machine): string[] {
  const fitting = [...packages].filter(({ recommended }) => recommended && fits(recommended, machine));
  const best = [...Map.groupBy(fitting, ({ recommended }) => recommended!.purpose).values()].map(
    (candidates) => candidates.toSorted((a, b) => b.recommended!.rank - a.recommended!.rank)[0]!,
  );
  const sizeHere = (pkg: Package) =>
    sizeOf(filesOf(pkg, variantFor(pkg, machine.gpu ? "gpu" : "cpu"))) ?? Number.POSITIVE_INFINITY;
  return best.toSorted((a, b) => sizeHere(a) - sizeHere(b)).map(({ name }) => name);
}

function fits(needs: NonNullable<Package["recommended"]>, { cores, memoryBytes, gpu }: Machine): boolean {
  if (gpu) return true;
  return !needs.gpu && cores >= needs.cores && memoryBytes >= needs.memoryGb * GIGABYTE;
}
