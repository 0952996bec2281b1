/** `loquat models`: one subcommand for each thing to do with a model package. */

import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "@commander-js/extra-typings";
import { byteText } from "../../byte-text.ts";
import { readConfig } from "../../config/config.ts";
import { devicesFor } from "../../engine/devices.ts";
import { filesOf, type Package } from "../../models/packages/package.ts";
import { sizeOf, sizeText } from "../../models/packages/size.ts";
import { exportPackage, importFolder, importBundle as importTar } from "../../models/store/bundle.ts";
import { removeVariant, variantsIn } from "../../models/store/installed-variants.ts";
import { inLock } from "../../models/store/lock.ts";
import { type Installed, openModelStore } from "../../models/store/model-store.ts";
import { hashOf, remove as removePackage } from "../../models/store/store-writer.ts";
import { runTrial, type Trial } from "../../server/engines/trial.ts";
import {
  JSON_OPTION,
  note,
  printFinding,
  printJson,
  printLine,
  printList,
  UsageError,
} from "../base/output.ts";
import { add } from "./add.ts";
import { check } from "./check.ts";
import { printUse } from "./installed/model-use.ts";
import {
  damagedPackages,
  damagedText,
  eachVariant,
  installedPackages,
  knownPackage,
} from "./installed/packages.ts";
import { openTrying } from "./installed/trying.ts";
import { list } from "./list.ts";
import { pull } from "./pull.ts";

export function models(command: Command): void {
  for (const define of [list, info, pull, verify, remove, importPackage, exportBundle, add, check, bench])
    define(command);
}

/** `loquat models rm`: removes installed packages. */
export function remove(command: Command): void {
  command
    .command("rm")
    .alias("remove")
    .description("Remove installed packages")
    .argument("<name...>", "package names")
    .option("--variant <precision>", "only this one of the installed precisions")
    .action(async (names, { variant }) => {
      const { weights } = readConfig().models;
      for (const name of names) {
        const wasInstalled = await inLock(weights, () =>
          variant === undefined ? removePackage(weights, name) : removeVariant(weights, name, variant),
        );
        const what = variant === undefined ? name : `${name} ${variant}`;
        if (!wasInstalled) throw new UsageError(`${what} is not installed.`);
        printLine(`removed  ${what}`);
      }
    });
}

const COLUMNS = ["name", "variant", "device", "threads", "realtime factor", "first result"] as const;

/** `loquat models bench`: how fast each engine runs on this machine. */
export function bench(command: Command): void {
  command
    .command("bench")
    .description("Measure each package on this machine")
    .argument("[name...]", "package names (default: all that are installed)")
    .option(...JSON_OPTION)
    .action(async (names, { json }) => {
      const config = readConfig();
      const rows: BenchRow[] = [];
      for (const installed of installedPackages(names)) {
        for (const one of eachVariant(installed)) {
          const { name } = installed.package;
          const what = one.variant === null ? name : `${name} ${one.variant}`;
          if (process.stderr.isTTY) note(`measuring ${what}`);
          await runTrial(one.installed, config); // fills the disk cache
          const trial = await runTrial(one.installed, config);
          if (trial) rows.push({ name, variant: one.variant, ...rowOf(trial) });
        }
      }
      printList(rows, { columns: COLUMNS, json });
    });
}

type BenchRow = { name: string; variant: string | null } & ReturnType<typeof rowOf>;

function rowOf({ seconds, audioSeconds, firstSeconds }: Trial) {
  const { device, threads } = readConfig().engine;
  return {
    device: [...devicesFor(device), "cpu"].join(", else "),
    threads,
    "realtime factor": (seconds / audioSeconds).toFixed(3),
    "first result": `${Math.round(firstSeconds * 1000)} ms`,
  };
}

/** `loquat models import` and `export`: packages for machines without a network. */
export function importPackage(command: Command): void {
  command
    .command("import")
    .description("Install a package from a folder of its files, or from an exported bundle")
    .argument("<folder|tar>", "a folder, or a .tar that `models export` wrote")
    .option("--as <name>", "the package the folder's files belong to")
    .option("--accept-license", "accept a licence that restricts use")
    .action(async (from, { as, acceptLicense }) => {
      if (!existsSync(from)) throw new UsageError(`There is no folder or bundle ${from}.`);
      const { weights } = readConfig().models;
      const trying = openTrying();
      const options = { weights, licenseAccepted: acceptLicense ?? false, tryOut: trying.tryOut };
      const imported = statSync(from).isDirectory()
        ? await importFolder(from, as ? knownPackage(as) : null, options)
        : await importTar(from, options);
      printLine(`installed  ${imported.name} ${imported.version}`);
      printUse(imported);
      trying.noteSpeed(imported);
    });
}

export function exportBundle(command: Command): void {
  command
    .command("export")
    .description("Write an installed package to one .tar file")
    .argument("<name>", "the package's name")
    .option("--out <file>", "the file to write (default: NAME.tar)")
    .action(async (name, { out = `${name}.tar` }) => {
      const [installed] = installedPackages([name]);
      await exportPackage(installed!, out);
      printLine(`${out}  ${byteText(statSync(out).size)}`);
    });
}

/** `loquat models info`: a package's licence, sources, precisions, and files with their sizes and hashes. */
export function info(command: Command): void {
  command
    .command("info")
    .description("Show a package's licence, sources, precisions and files")
    .argument("<name>", "the package's name")
    .option(...JSON_OPTION)
    .action((name, { json }) => {
      const known = knownPackage(name);
      const installed = openModelStore(readConfig().models.weights).installed(known.name);
      if (json) printJson({ ...known, installed: installed?.package ?? null });
      else print(known, installed);
    });
}

function print(known: Package, installed: Installed | null): void {
  const { license, variants, published } = known;
  printLine(`${known.name} ${known.version}: ${known.title}`);
  printLine(`licence    ${license.spdx} (${license.attribution}), ${license.url}`);
  printLine(`from       ${known.sources.join(" or ") || "files on this machine"}`);
  const precisions = [...new Set([...variants.cpu, ...variants.gpu])];
  for (const variant of precisions.length > 0 ? precisions : [null])
    printLine(`size       ${sizeText(sizeOf(filesOf(known, variant)))}${variant ? ` (${variant})` : ""}`);
  if (published) printLine(`published  ${published}`);
  const installedVariants = variantsIn(installed?.package.files ?? []);
  const [damaged] = damagedPackages([known.name]);
  if (damaged) printLine(`damaged    ${damaged[1]}`);
  printLine(
    `installed  ${installed ? `${installed.folder}${installedVariants.length > 0 ? ` (${installedVariants.join(", ")})` : ""}` : "no"}`,
  );
  for (const revision of new Set(installed?.package.files.flatMap((file) => file.revision ?? [])))
    printLine(`revision   ${revision}, as its source declared`);
  for (const { path, variant, bytes, sha256 } of installed?.package.files ?? known.files) {
    const size = bytes === null ? "size unknown" : `${bytes} bytes`;
    const hash = sha256 === null ? "hash unknown" : `SHA-256 ${sha256}`;
    printLine(`  ${path}${variant ? ` (${variant})` : ""}, ${size}, ${hash}`);
  }
}

/** `loquat models verify`: hashes installed files again. */
export function verify(command: Command): void {
  command
    .command("verify")
    .description("Check the size and hash of every installed file; exit code 1 if one is corrupt")
    .argument("[name...]", "package names (default: all that are installed)")
    .action(run);
}

async function run(names: string[]): Promise<void> {
  const damaged = damagedPackages(names);
  for (const each of damaged) printFinding(`corrupt  ${damagedText(each)}`);
  if (damaged.length > 0) process.exitCode = 1;
  const others = names.filter((name) => damaged.every(([each]) => each !== name));
  if (names.length > 0 && others.length === 0) return;
  for (const installed of installedPackages(others)) {
    const { name } = installed.package;
    const corrupt = await corruptFiles(installed);
    for (const path of corrupt)
      printFinding(`corrupt  ${name}: ${path}. Run "loquat models rm ${name}" and pull it again.`);
    if (corrupt.length > 0) process.exitCode = 1;
    else printFinding(`ok       ${name}`);
  }
}

async function corruptFiles({ package: { files }, folder }: Installed): Promise<string[]> {
  const corrupt: string[] = [];
  for (const { path, sha256, bytes } of files) {
    const file = join(folder, path);
    const hasSize = existsSync(file) && statSync(file).size === bytes;
    if (!hasSize || (await hashOf(file)) !== sha256) corrupt.push(path);
  }
  return corrupt;
}
