/** `loquat models add`: adds a package manifest of the operator's own to the catalogue. */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "@commander-js/extra-typings";
import { readConfig } from "../../config.ts";
import { parsePackage, readPackage } from "../../models/packages/package.ts";
import { printLine, UsageError } from "../base/output.ts";

export function add(command: Command): void {
  command
    .command("add")
    .description("Add a package manifest of your own to the catalogue")
    .argument("<file|url>", "the manifest, JSON")
    .action(async (from) => {
      const isUrl = /^https?:\/\//.test(from);
      if (!isUrl && !existsSync(from)) throw new UsageError(`There is no file ${from}.`);
      const added = isUrl ? parsePackage(from, await (await fetch(from)).text()) : readPackage(from);
      const path = join(readConfig().models.folder, "packages", `${added.name}.json`);
      if (existsSync(path)) throw new UsageError(`A package named ${added.name} already exists.`);
      writeFileSync(path, `${JSON.stringify(added, null, 2)}\n`);
      printLine(`added  ${added.name}. Install with: loquat models pull ${added.name}`);
    });
}
