/** `loquat models bench`: how fast each engine runs on this machine. */
import type { Command } from "@commander-js/extra-typings";
import { readConfig } from "../../config/config.ts";
import { devicesFor } from "../../engine/devices.ts";
import { runTrial, type Trial } from "../../server/engines/trial.ts";
import { JSON_OPTION, note, printList } from "../base/output.ts";
import { eachVariant, installedPackages } from "./installed/packages.ts";

const COLUMNS = ["name", "variant", "device", "threads", "realtime factor", "first result"] as const;

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
