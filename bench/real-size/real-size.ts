/**
 * Memory and speed of each engine on two threads, on graphs of the real size: the layers, widths, ports and precisions of
 * the published files with random weights, opened by the real worker. Writes the figures into the manifests, of which
 * `npm run docs` writes docs/models.md.
 *
 * `BENCH_PACKAGES="kokoro-82m whisper-tiny"` measures some. Files are made one package at a time in a temporary folder.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readConfig } from "../../src/config/config.ts";
import { type Package, readPackages } from "../../src/models/packages/package.ts";
import { hasSilero, WEIGHTS } from "../../test/clips.ts";
import type { Row } from "../harness/row.ts";
import { installFiles, installRealSize } from "./install.ts";
import { type Target, targetsLike, targetsOf } from "./measured-packages.ts";
import { saveMeasurement } from "./measurements.ts";
import type { TrialResult } from "./trial.ts";

const TRIAL = fileURLToPath(new URL("trial.ts", import.meta.url));
const THREADS = 2;
/** A process with larger files would need more memory than the machines that these figures are for have. */
const FILES_MAX_BYTES = 3e9;

export async function benchRealSize(): Promise<Row[]> {
  const names = Bun.env.BENCH_PACKAGES?.split(/[\s,]+/) ?? null;
  const { folder } = readConfig({}).models;
  const packages = readPackages(folder);
  const rows: Row[] = [];
  for (const { pkg, variant } of targetsOf(packages)) {
    if (names !== null && !names.includes(pkg.name)) continue;
    process.stderr.write(`  measuring ${nameOf({ pkg, variant })}\n`);
    const measured = await measure({ pkg, variant }, packages);
    if (measured === null) continue;
    const { memoryMb, speed, eight } = measured;
    for (const like of targetsLike({ pkg, variant }, packages))
      saveMeasurement(folder, like.pkg, {
        variant: like.variant,
        memoryMb,
        speed: rounded(speed),
        ...(eight ? { eight: { ...eight, speed: rounded(eight.speed) } } : {}),
      });
    rows.push(...rowsOf(measured));
  }
  await format(folder);
  return rows;
}

const rounded = (speed: number) => Number(speed.toPrecision(2));

/** As the repository's formatter leaves manifests. */
const format = (folder: string) =>
  Bun.spawn(["biome", "format", "--write", join(folder, "packages")], { stdout: "ignore" }).exited;

type Measured = TrialResult & Target;
type Packages = ReadonlyMap<string, Package>;

/** What tells speakers apart is two packages, and measured with both. */
const besideOf = ({ family }: Package): string | null =>
  family === "speaker-embedding" ? "pyannote-segmentation-3.0" : null;

const nameOf = ({ pkg, variant }: Target) => (variant === null ? pkg.name : `${pkg.name} ${variant}`);

/** Null where the package cannot be measured here; a line says why. */
async function measure({ pkg, variant }: Target, packages: Packages): Promise<Measured | null> {
  const skip = (why: string) => {
    process.stdout.write(`  ${nameOf({ pkg, variant })}: ${why}\n`);
    return null;
  };
  if (sizeOf(pkg, variant) > FILES_MAX_BYTES) return skip("too large to be measured here");
  const weights = mkdtempSync(join(tmpdir(), "loquat-real-size-"));
  try {
    if (!(await install(weights, { pkg, variant }, packages))) return skip("its weights are not at hand");
    return { pkg, variant, ...(await runTrial(weights)) };
  } finally {
    rmSync(weights, { recursive: true, force: true });
  }
}

/** Of Silero the real file is read, where it is at hand; all others are made. */
async function install(weights: string, { pkg, variant }: Target, packages: Packages): Promise<boolean> {
  const beside = besideOf(pkg);
  if (beside !== null) await installRealSize(weights, packages.get(beside)!, null);
  if (pkg.family !== "silero") await installRealSize(weights, pkg, variant);
  else if (hasSilero) installFiles(weights, pkg, { model: join(WEIGHTS, "silero-vad", "silero_vad.onnx") });
  return pkg.family !== "silero" || hasSilero;
}

/** What is published; sizes of turbo's fp32 are not, and it is the only one that large. */
function sizeOf({ name, files }: Package, variant: string | null): number {
  if (name === "whisper-large-v3-turbo" && variant === "fp32") return Number.POSITIVE_INFINITY;
  return files
    .filter((file) => file.variant === undefined || file.variant === variant)
    .reduce((sum, { bytes }) => sum + (bytes ?? 0), 0);
}

async function runTrial(weights: string): Promise<TrialResult> {
  const child = Bun.spawn([process.execPath, TRIAL], {
    env: { ...Bun.env, LOQUAT_WEIGHTS: weights, LOQUAT_THREADS: String(THREADS), LOQUAT_DEVICE: "cpu" },
    stdout: "pipe",
    stderr: "inherit",
  });
  const text = await child.stdout.text();
  if ((await child.exited) !== 0)
    throw new Error(`the trial ended with ${child.signalCode ?? child.exitCode}`);
  return JSON.parse(text.trimEnd().split("\n").at(-1)!);
}

function rowsOf({ pkg, variant, memoryMb, speed, eight, words, audioSeconds }: Measured): Row[] {
  const name = nameOf({ pkg, variant });
  const output = words > 0 ? `, ${words} words in ${audioSeconds} s` : "";
  return [
    { name: `${name}, 1 caller${output}`, value: speed, unit: `x realtime, ${memoryMb} MB` },
    ...(eight
      ? [{ name: `${name}, 8 callers`, value: eight.speed, unit: `x realtime, ${eight.memoryMb} MB` }]
      : []),
  ];
}
