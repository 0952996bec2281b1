/** `loquat models rm`: removes installed packages. */
import type { Command } from "@commander-js/extra-typings";
import { readConfig } from "../../config.ts";
import { inLock } from "../../models/store/lock.ts";
import { remove as removePackage } from "../../models/store/store-writer.ts";
import { printLine, UsageError } from "../base/output.ts";

export function remove(command: Command): void {
  command
    .command("rm")
    .description("Remove installed packages")
    .argument("<name...>", "package names")
    .action(async (names) => {
      const { weights } = readConfig().models;
      for (const name of names) {
        const wasInstalled = await inLock(weights, () => removePackage(weights, name));
        if (!wasInstalled) throw new UsageError(`${name} is not installed.`);
        printLine(`removed  ${name}`);
      }
    });
}
