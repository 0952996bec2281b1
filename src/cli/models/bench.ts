/** `loquat models bench`: how fast each engine runs on this machine. */
import type { Command } from "@commander-js/extra-typings";
import { readConfig } from "../../config.ts";
import { devicesFor } from "../../engine/devices.ts";
import { JSON_OPTION, note, printList } from "../base/output.ts";
import { installedPackages } from "./packages.ts";
import { runTrial, type Trial } from "./trial.ts";

const COLUMNS = ["name", "device", "threads", "realtime factor", "first result"] as const;

export function bench(command: Command): void {
  command
    .command("bench")
    .description("Measure each package on this machine")
    .argument("[name...]", "package names (default: all that are installed)")
    .option(...JSON_OPTION)
    .action(async (names, { json }) => {
      const rows: ReturnType<typeof rowOf>[] = [];
      for (const installed of installedPackages(names)) {
        if (process.stderr.isTTY) note(`measuring ${installed.package.name}`);
        await runTrial(installed); // fills the disk cache
        const trial = await runTrial(installed);
        if (trial) rows.push(rowOf(installed.package.name, trial));
      }
      printList(rows, { columns: COLUMNS, json });
    });
}

function rowOf(name: string, { seconds, audioSeconds, firstSeconds }: Trial) {
  const { device, threads } = readConfig().engine;
  return {
    name,
    device: [...devicesFor(device), "cpu"].join(", else "),
    threads,
    "realtime factor": (seconds / audioSeconds).toFixed(3),
    "first result": `${Math.round(firstSeconds * 1000)} ms`,
  };
}
