/** `loquat models pull`: downloads and installs packages. */
import type { Command } from "@commander-js/extra-typings";
import { type Config, readConfig } from "../../config.ts";
import { devicesFor } from "../../engine/devices.ts";
import { type Package, readPackages } from "../../models/package.ts";
import { openHub } from "../../models/pull/hub.ts";
import { pull as pullPackage } from "../../models/pull/pull.ts";
import { recommended, thisMachine } from "../../models/pull/recommend.ts";
import { openModelStore } from "../../models/store/model-store.ts";
import { printLine } from "../base/output.ts";
import { knownPackage } from "./packages.ts";
import { openProgressBar } from "./progress-bar.ts";

export function pull(command: Command): void {
  command
    .command("pull")
    .description("Download and install packages")
    .argument("<name...>", "package names, or `recommended`: what suits this machine")
    .option("--variant <precision>", "such as fp32 or int8 (default: what suits the device)")
    .option("--mirror <url>", "prepended to every download URL (default: LOQUAT_MIRROR)")
    .option("--accept-license", "accept licences that restrict use")
    .action(run);
}

type Options = {
  variant?: string | undefined;
  mirror?: string | undefined;
  acceptLicense?: true | undefined;
};
type Target = Omit<Parameters<typeof pullPackage>[1], "report">;

async function run(names: string[], { variant, mirror, acceptLicense }: Options): Promise<void> {
  const { engine, models } = readConfig();
  const hasGpu = devicesFor(engine.device).length > 0;
  const wanted = names.flatMap((name) =>
    name === "recommended" ? missingRecommended(hasGpu, models) : [name],
  );
  const target: Target = {
    weights: models.weights,
    device: hasGpu ? "gpu" : "cpu",
    variant: variant ?? null,
    licenseAccepted: acceptLicense ?? false,
    hub: openHub(mirror ?? models.mirror),
  };
  for (const known of wanted.map(knownPackage)) {
    printLine(`${known.name} ${known.version}: ${known.title}`);
    printLine(`  ${known.license.spdx}, ${known.license.attribution}: ${known.license.url}`);
    await pullWithProgress(known, target);
    printLine("  installed");
  }
}

function missingRecommended(hasGpu: boolean, { weights, folder }: Config["models"]): string[] {
  const store = openModelStore(weights);
  return recommended(readPackages(folder).values(), thisMachine(hasGpu)).filter(
    (name) => store.installed(name) === null,
  );
}

async function pullWithProgress(known: Package, target: Target): Promise<void> {
  using bar = openProgressBar();
  await pullPackage(known, { ...target, report: bar.update });
}
