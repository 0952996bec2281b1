/** `loquat models check`: starts the engine of each package, as the server would, and runs it once. */
import type { Command } from "@commander-js/extra-typings";
import { printLine } from "../base/output.ts";
import { installedPackages } from "./packages.ts";
import { runTrial } from "./trial.ts";

export function check(command: Command): void {
  command
    .command("check")
    .description("Run the engine of each package once; exit code 1 if one does not run")
    .argument("[name...]", "package names (default: all that are installed)")
    .action(run);
}

async function run(names: string[]): Promise<void> {
  for (const installed of installedPackages(names)) {
    const { name, published } = installed.package;
    try {
      const trial = await runTrial(installed);
      printLine(`ok       ${name}${trial ? "" : " (used by other packages, and checked with them)"}`);
      if (published) printLine(`         published: ${published}`);
    } catch (error) {
      printLine(`failed   ${name}: ${(error as Error).message}`);
      process.exitCode = 1;
    }
  }
}
