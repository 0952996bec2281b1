/** `loquat models info`: a package's licence, sources, precisions, and files with their sizes and hashes. */
import type { Command } from "@commander-js/extra-typings";
import { readConfig } from "../../config/config.ts";
import { filesOf, type Package } from "../../models/packages/package.ts";
import { sizeOf, sizeText } from "../../models/packages/size.ts";
import { variantsIn } from "../../models/store/installed-variants.ts";
import { type Installed, openModelStore } from "../../models/store/model-store.ts";
import { JSON_OPTION, printJson, printLine } from "../base/output.ts";
import { damagedPackages, knownPackage } from "./installed/packages.ts";

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
