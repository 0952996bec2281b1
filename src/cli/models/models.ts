/** `loquat models`: one subcommand for each thing to do with a model package. */
import type { Command } from "@commander-js/extra-typings";
import { add } from "./add.ts";
import { bench } from "./bench.ts";
import { exportBundle, importPackage } from "./bundles.ts";
import { check } from "./check.ts";
import { info } from "./info.ts";
import { list } from "./list.ts";
import { pull } from "./pull.ts";
import { remove } from "./remove.ts";
import { verify } from "./verify.ts";

export function models(command: Command): void {
  for (const define of [list, info, pull, verify, remove, importPackage, exportBundle, add, check, bench])
    define(command);
}
