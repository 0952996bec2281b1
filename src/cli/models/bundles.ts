/** `loquat models import` and `export`: packages for machines without a network. */
import { existsSync, statSync } from "node:fs";
import type { Command } from "@commander-js/extra-typings";
import { byteText } from "../../byte-text.ts";
import { readConfig } from "../../config/config.ts";
import { exportPackage, importFolder, importBundle as importTar } from "../../models/store/bundle.ts";
import { printLine, UsageError } from "../base/output.ts";
import { printUse } from "./installed/model-use.ts";
import { installedPackages, knownPackage } from "./installed/packages.ts";
import { openTrying } from "./installed/trying.ts";

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
