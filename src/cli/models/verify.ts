/** `loquat models verify`: hashes installed files again. */
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "@commander-js/extra-typings";
import type { Installed } from "../../models/store/model-store.ts";
import { hashOf } from "../../models/store/store-writer.ts";
import { printFinding } from "../base/output.ts";
import { damagedPackages, damagedText, installedPackages } from "./installed/packages.ts";

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
