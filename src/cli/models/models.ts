/** `loquat models`: one subcommand for each thing to do with a model package. */
import type { Command } from "@commander-js/extra-typings";
import { readConfig } from "../../config/config.ts";
import { removeVariant } from "../../models/store/installed-variants.ts";
import { inLock } from "../../models/store/lock.ts";
import { remove as removePackage } from "../../models/store/store-writer.ts";
import { printLine, UsageError } from "../base/output.ts";
import { add } from "./add.ts";
import { bench } from "./bench.ts";
import { exportBundle, importPackage } from "./bundles.ts";
import { check } from "./check.ts";
import { info } from "./info.ts";
import { list } from "./list.ts";
import { pull } from "./pull.ts";
import { verify } from "./verify.ts";

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
