/**
 * How fast the engines of packages ran when they were installed, in seconds of audio for each second of work, and how loud
 * their voices spoke without a gain, in LUFS.
 *
 *   weights/speeds/NAME.json   { version, machines: { "AMD EPYC 7B13 x 2": { fp32: 2.7 } }, loudness: { af_heart: -19.2 } }
 *
 * Speeds by the kind of machine, because several may share the store, and a container has another name every time.
 */
import { rmSync } from "node:fs";
import { availableParallelism, cpus } from "node:os";
import { join } from "node:path";
import { replaceJson } from "../../natives/replace-file.ts";
import { fileSetsOf } from "../packages/file-sets.ts";
import type { Package } from "../packages/package.ts";
import { namesIn, textOf } from "./model-store.ts";

/** `variant` null: the package has one precision only. */
export type Ran = { package: Pick<Package, "name" | "version">; variant: string | null };

/** Null where it was never measured on this kind of machine, in this version and precision. */
export type MeasuredSpeeds = (ran: Ran) => number | null;

/** 0.7, 2.4, 16: rounded down, so that 0.97 is not 1. */
export const speedText = (speed: number): string =>
  speed < 10 ? (Math.floor(speed * 10) / 10).toFixed(1) : String(Math.floor(speed));

type Kept = {
  version: string;
  machines: Record<string, Record<string, number>>;
  loudness?: Record<string, number>;
};

const ONLY = "only"; // precision

const folderIn = (weights: string) => join(weights, "speeds");

const machineKind = (hasGpu: boolean): string =>
  `${cpus()[0]?.model.trim() ?? process.arch} x ${availableParallelism()}${hasGpu ? " with GPU" : ""}`;

/** What runs of an installed package: the precision that comes first. */
export const ranOf = (installed: Package, device: "cpu" | "gpu"): Ran => ({
  package: installed,
  variant: fileSetsOf(installed, device)[0]!.variant,
});

export function readSpeeds(weights: string, hasGpu: boolean): MeasuredSpeeds {
  const machine = machineKind(hasGpu);
  const kept = new Map(
    namesIn(folderIn(weights)).map((file) => [
      file.replace(/\.json$/, ""),
      parse(textOf(join(folderIn(weights), file))),
    ]),
  );
  return ({ package: { name, version }, variant }) => {
    const known = kept.get(name);
    const speed = known?.version === version ? known.machines[machine]?.[variant ?? ONLY] : null;
    return typeof speed === "number" && speed > 0 && Number.isFinite(speed) ? speed : null;
  };
}

/** By the engine's name of a voice; empty where nothing was measured of this version. */
export function readLoudness(weights: string, { name, version }: Ran["package"]): Record<string, number> {
  const kept = parse(textOf(join(folderIn(weights), `${name}.json`)));
  const { loudness } = kept?.version === version ? kept : {};
  const figures = Object.entries(typeof loudness === "object" && loudness !== null ? loudness : {});
  return Object.fromEntries(
    figures.filter(([, lufs]) => typeof lufs === "number" && lufs >= -70 && lufs <= 0),
  );
}

export function keepSpeed(weights: string, { package: pkg, variant }: Ran, run: Measurement): void {
  keep(weights, pkg, ({ machines, ...rest }) => {
    const machine = machineKind(run.hasGpu);
    machines[machine] = { ...machines[machine], [variant ?? ONLY]: Number(run.speed.toPrecision(3)) };
    return { ...rest, machines };
  });
}

type Measurement = { speed: number; hasGpu: boolean };

export function keepLoudness(weights: string, pkg: Ran["package"], loudness: Record<string, number>): void {
  keep(weights, pkg, (kept) => ({ ...kept, loudness }));
}

/** When its package is removed. */
export function forgetMeasured(weights: string, name: string): void {
  rmSync(join(folderIn(weights), `${name}.json`), { recursive: true, force: true });
}

/** In place of what was measured of another version. */
function keep(weights: string, { name, version }: Ran["package"], change: (kept: Kept) => Kept): void {
  const path = join(folderIn(weights), `${name}.json`);
  const before = parse(textOf(path));
  if (before === null) forgetMeasured(weights, name); // also a folder in its place
  replaceJson(path, change(before?.version === version ? before : { version, machines: {} }));
}

/** Null where nothing is kept, or what is kept cannot be read: it will be measured again. */
function parse(json: string | null): Kept | null {
  try {
    const kept = JSON.parse(json ?? "null");
    return typeof kept?.machines === "object" && kept.machines !== null ? kept : null;
  } catch {
    return null;
  }
}
