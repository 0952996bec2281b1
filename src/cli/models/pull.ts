/** `loquat models pull`: downloads and installs packages. */
import type { Command } from "@commander-js/extra-typings";
import { readConfig } from "../../config.ts";
import { devicesFor } from "../../engine/devices.ts";
import { type Package, readPackages } from "../../models/package.ts";
import { openHub } from "../../models/pull/hub.ts";
import { pull as pullPackage } from "../../models/pull/pull.ts";
import { thisMachine } from "../../models/pull/recommend.ts";
import { downloadSize, selectPackages } from "../../models/pull/selection.ts";
import { byteText, sizeText, totalText } from "../../models/size.ts";
import { openModelStore } from "../../models/store/model-store.ts";
import { ModelStoreError } from "../../models/store/store-error.ts";
import { note, printLine } from "../base/output.ts";
import { knownPackage } from "./packages.ts";
import { openProgressBar } from "./progress-bar.ts";

export function pull(command: Command): void {
  command
    .command("pull")
    .description("Download and install packages")
    .argument("<name...>", "package names, or `recommended`: what suits this machine")
    .option(
      "--variant <precision>",
      "such as fp32 or int8, beside what is installed (default: what suits the device)",
    )
    .option("--mirror <url>", "prepended to every download URL (default: LOQUAT_MIRROR)")
    .option("--accept-license", "accept licences that restrict use")
    .action(run);
}

type Options = {
  variant?: string | undefined;
  mirror?: string | undefined;
  acceptLicense?: true | undefined;
};
type Target = Omit<Parameters<typeof pullPackage>[1], "report" | "hub"> & { mirror: string | null };

async function run(names: string[], { variant, mirror, acceptLicense }: Options): Promise<void> {
  const { engine, models } = readConfig();
  const machine = thisMachine(devicesFor(engine.device).length > 0);
  for (const name of names) if (name !== "recommended") knownPackage(name);
  const packages = readPackages(models.folder);
  const wanted = selectPackages(names, { packages, machine, store: openModelStore(models.weights) });
  if (wanted.length === 0) return note("Everything that is recommended for this machine is installed.");
  announce(wanted, (own) => downloadSize(own, machine, variant));
  const target: Target = {
    weights: models.weights,
    device: machine.gpu ? "gpu" : "cpu",
    variant: variant ?? null,
    licenseAccepted: acceptLicense ?? false,
    mirror: mirror ?? models.mirror,
  };
  const failed: string[] = [];
  for (const own of wanted) if (!(await succeeds(own, target))) failed.push(own.name);
  if (failed.length === 0) return;
  if (wanted.length > 1) note(`${failed.length} of ${wanted.length} packages failed: ${failed.join(", ")}`);
  process.exitCode = 1;
}

/** What will be downloaded, before it is. */
function announce(wanted: Package[], bytesOf: (own: Package) => number | null): void {
  if (wanted.length === 1) return;
  for (const own of wanted) note(`${own.name}: ${sizeText(bytesOf(own))}, ${own.license.spdx}, ${own.title}`);
  note(`${wanted.length} packages, ${totalText(wanted.map(bytesOf))}\n`);
}

/** A package that fails does not keep the next one from being tried. */
async function succeeds(own: Package, target: Target): Promise<boolean> {
  const { license } = own;
  const size = downloadSize(own, { gpu: target.device === "gpu" }, target.variant);
  note(`${own.name} ${own.version}: ${own.title}, ${size === null ? "size unknown" : byteText(size)}`);
  note(`  ${license.spdx}, ${license.attribution}: ${license.url}`);
  try {
    using bar = openProgressBar();
    const hub = openHub(target.mirror, { notice: bar.note });
    await pullPackage(own, { ...target, hub, report: bar.update });
  } catch (error) {
    if (!(error instanceof ModelStoreError)) throw error;
    note(error.message);
    return false;
  }
  printLine(`installed  ${own.name} ${own.version}`);
  return true;
}
