/**
 * The packages to pull for a machine: for each purpose the best that its cores and memory run, and that keeps up with a
 * listener there, as it was measured when it was installed, or as its manifest lets expect.
 */
import { availableParallelism, totalmem } from "node:os";
import { type FamilyTask, familyOf } from "../../engine/families/families.ts";
import { filesOf, type Package } from "../packages/package.ts";
import { sizeOf } from "../packages/size.ts";
import { variantFor } from "../packages/variants.ts";
import { type MeasuredSpeeds, speedText } from "../store/measured-speeds.ts";

export type Machine = { cores: number; memoryBytes: number; gpu: boolean };

/** Seconds of audio for each second of work on this machine; null: unknown. */
export type SpeedOf = (pkg: Package) => number | null;

export const thisMachine = (gpu: boolean): Machine => ({
  cores: availableParallelism(),
  memoryBytes: totalmem(),
  gpu,
});

const GIGABYTE = 2 ** 30;
const MARGIN = 1.2; // times real time: what else the machine does takes some
const MEASURED_CORES = 2; // of the machine that the speeds of manifests come from
const CORES_MAX = 4; // more gain little for one caller

const deviceOf = ({ gpu }: Pick<Machine, "gpu">) => (gpu ? "gpu" : "cpu");

/** Names of packages, the smallest download first: each works as soon as it is installed. */
export function recommended(packages: Iterable<Package>, machine: Machine, speedOf: SpeedOf): string[] {
  const best = byPurpose(packages, machine).flatMap(
    (ranked) => ranked.find((pkg) => keepsUp(speedOf(pkg))) ?? [],
  );
  const sizeHere = (pkg: Package) =>
    sizeOf(filesOf(pkg, variantFor(pkg, deviceOf(machine)))) ?? Number.POSITIVE_INFINITY;
  return best.toSorted((a, b) => sizeHere(a) - sizeHere(b)).map(({ name }) => name);
}

/** The fastest package of each purpose for which nothing is recommended, because none keeps up on this machine. */
export const tooSlow = (packages: Iterable<Package>, machine: Machine, speedOf: SpeedOf): Package[] =>
  byPurpose(packages, machine)
    .filter((ranked) => !ranked.some((pkg) => keepsUp(speedOf(pkg))))
    .map((ranked) => fastest(ranked, speedOf));

/** Those that fit the machine, the best of each purpose first. */
const byPurpose = (packages: Iterable<Package>, machine: Machine): Package[][] =>
  [
    ...Map.groupBy(
      [...packages].filter(({ recommended }) => recommended && fits(recommended, machine)),
      ({ recommended }) => recommended!.purpose,
    ).values(),
  ].map((candidates) => candidates.toSorted((a, b) => b.recommended!.rank - a.recommended!.rank));

function fits(needs: NonNullable<Package["recommended"]>, { cores, memoryBytes, gpu }: Machine): boolean {
  if (gpu) return true;
  return !needs.gpu && cores >= needs.cores && memoryBytes >= needs.memoryGb * GIGABYTE;
}

/** Whether one listener hears it without a pause, or one speaker is followed; also where that is unknown. */
const keepsUp = (speed: number | null): boolean => speed === null || speed >= MARGIN;

const fastest = (packages: readonly Package[], speedOf: SpeedOf): Package =>
  packages.reduce((best, pkg) => ((speedOf(pkg) ?? 0) > (speedOf(best) ?? 0) ? pkg : best));

/**
 * As measured here, in the precision that the machine takes first. Before that, as in the manifest, times how this machine
 * compares: by the packages that were measured on both, or by its cores. A GPU compares with no processor.
 */
export function speedsHere(packages: Iterable<Package>, measured: MeasuredSpeeds, machine: Machine): SpeedOf {
  const here = (pkg: Package) => measured({ package: pkg, variant: variantFor(pkg, deviceOf(machine)) });
  const ratios = [...packages].flatMap((pkg) => {
    const [found, published] = [here(pkg), publishedSpeed(pkg)];
    return found === null || published === null ? [] : [found / published];
  });
  const ratio = middleOf(ratios) ?? Math.min(machine.cores, CORES_MAX) / MEASURED_CORES;
  return (pkg) => {
    const published = machine.gpu ? null : publishedSpeed(pkg);
    return here(pkg) ?? (published === null ? null : published * ratio);
  };
}

/** Of the precision for processors, on two cores. */
function publishedSpeed(pkg: Package): number | null {
  const variant = variantFor(pkg, "cpu");
  return pkg.measured?.find((each) => each.variant === variant)?.speed ?? null;
}

const middleOf = (values: number[]): number | null =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? null;

/** By what a family does: what it does at a speed, and what comes of it where that is too low. */
const TOO_SLOW: Partial<Record<FamilyTask, [does: string, effect: string]>> = {
  synthesis: ["speak", "streams will pause"],
  recognition: ["recognize", "live transcription will fall behind"],
  "streaming-recognition": ["recognize", "live transcription will fall behind"],
};

type Compared = { packages: Iterable<Package>; speedOf: SpeedOf; isMeasured: boolean };

/** For the operator, where a package does not keep up here; null where it does, or where that is unknown. */
export function slownessOf(pkg: Package, { packages, speedOf, isMeasured }: Compared): string | null {
  const speed = speedOf(pkg);
  const [does, effect] = TOO_SLOW[familyOf(pkg.family).task] ?? [];
  if (speed === null || keepsUp(speed) || does === undefined) return null;
  const times = `${speedText(speed)} times real time on this machine`;
  const what = isMeasured ? `${does}s at ${times}` : `is expected to ${does} at about ${times}`;
  const risk = speed < 1 ? effect : `${effect} when the machine is busy`;
  const other = alternativeTo(pkg, packages, speedOf);
  const advice = other ? ` Use ${other.name} instead: ${other.title}.` : "";
  return `${pkg.name} ${what}: ${risk}.${advice}`;
}

type Served = { speedOf: SpeedOf; builtIn: string | null };

/** For the operator, in place of a recommendation. `builtIn`: what does the same without a package; null: nothing. */
export function tooSlowText(pkg: Package, { speedOf, builtIn }: Served): string {
  const [does = "run"] = TOO_SLOW[familyOf(pkg.family).task] ?? [];
  const instead = builtIn === null ? "" : ` ${builtIn} needs no package, and keeps up.`;
  return `Nothing is recommended for ${pkg.recommended!.purpose}: ${pkg.name}, the fastest, is expected to ${does} at about ${speedText(speedOf(pkg)!)} times real time on this machine.${instead}`;
}

/** Of the same languages, what is recommended for the same purpose, else the fastest. */
function alternativeTo(pkg: Package, packages: Iterable<Package>, speedOf: SpeedOf): Package | null {
  const { task } = familyOf(pkg.family);
  const languages = languagesOf(pkg);
  const others = [...packages].filter(
    (other) =>
      familyOf(other.family).task === task &&
      !other.license.acceptance &&
      (speedOf(other) ?? 0) >= MARGIN &&
      languages.intersection(languagesOf(other)).size > 0,
  );
  const rank = ({ recommended }: Package) =>
    recommended?.purpose === pkg.recommended?.purpose ? (recommended?.rank ?? 0) : 0;
  const isBetter = (a: Package, b: Package) => rank(a) - rank(b) || speedOf(a)! - speedOf(b)!;
  return others.toSorted(isBetter).at(-1) ?? null;
}

export const languagesOf = ({ languages = [], voices = [], recognition = [] }: Package): Set<string> =>
  new Set([
    ...languages,
    ...voices.map(({ language }) => language),
    ...recognition.flatMap((each) => each.languages),
  ]);
